#!/usr/bin/python3
"""Reads a .mxpb file, lists its functions and MX tensors, changes a constant, and writes it back.

  edit_program.py IN.mxpb [OUT.mxpb OLD NEW]

Needs Debian's python3-protobuf and ir_pb2.py, which protoc makes from ir/proto/ir.proto (//examples/python:ir_pb2).
What the numbers mean is said in ir.proto: places in program.nodes and program.strings, 0 for none.
"""

import sys

import ir_pb2

MX_LAYOUTS = (ir_pb2.MX_A_ZZ, ir_pb2.MX_B_NN)


def dim_text(program, number):
    """A dim of a type: a constant's value, a variable's name, else "?"."""
    node = program.nodes[number]
    if node.kind == ir_pb2.Node.CONST_INT:
        return str(node.int_value)
    return program.strings[node.name] or "?"


def functions(program):
    """A line for each function, with the names of its parameters."""
    for function in program.functions:
        params = [program.strings[program.nodes[number].name] for number in function.params]
        yield f"{ir_pb2.FunctionType.Name(function.type)} {function.name}({', '.join(params)})"


def mx_tensors(program):
    """A line for each variable that is a tensor of MX scales."""
    for node in program.nodes:
        definition = program.nodes[node.type].type_def
        if not node.name or definition.tensor_view.layout not in MX_LAYOUTS:
            continue
        shape = ", ".join(dim_text(program, number) for number in definition.shape)
        layout = ir_pb2.TensorLayout.Name(definition.tensor_view.layout)
        yield f"{program.strings[node.name]}: [{shape}] {ir_pb2.DataType.Name(definition.dtype)} {layout}"


def change_constant(program, old, new):
    """Gives the integer constants of that value another one; how many there were. A constant is one node, whoever
    uses it: also a dim that says the same."""
    found = [node for node in program.nodes if node.kind == ir_pb2.Node.CONST_INT and node.int_value == old]
    for node in found:
        node.int_value = new
    return len(found)


def main(args):
    if len(args) not in (1, 4):
        sys.exit(__doc__)
    program = ir_pb2.ProgramProto()
    with open(args[0], "rb") as file:
        program.ParseFromString(file.read())
    if program.format_version != 1:
        sys.exit(f"{args[0]}: version {program.format_version}, this script knows version 1")
    for line in list(functions(program)) + list(mx_tensors(program)):
        print(line)
    if len(args) == 4:
        print(f"changed {change_constant(program, int(args[2]), int(args[3]))} constants")
        with open(args[1], "wb") as file:
            file.write(program.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(sys.argv[1:])
