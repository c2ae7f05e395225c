#include "ir/text/syntax_dump.h"

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/source_span.h"

namespace mxtile::ir::text {
namespace {

class Dumper {
 public:
  explicit Dumper(const SyntaxDumpOptions& options) : options_(options) {}

  std::string DumpModule(const Module& module) {
    DumpBlock(module.body);
    DumpComments(module.trailing_comments);
    return std::move(out_);
  }

 private:
  void Append(absl::string_view text) { absl::StrAppend(&out_, text); }

  void AppendSpan(const TextRange& span) {
    if (!options_.spans) return;
    absl::StrAppend(&out_, "<", span.line, ":", span.column, "-", span.end_line,
                    ":", span.end_column, ">");
  }

  void StartLine() { out_.append(2 * indentation_, ' '); }

  void DumpComments(absl::Span<const Comment> comments) {
    for (const Comment& comment : comments) {
      StartLine();
      AppendSpan(comment.span);
      absl::StrAppend(&out_, comment.text, "\n");
    }
  }

  void DumpBlock(Block block) {
    for (const Stmt* statement : block) {
      DumpComments(statement->comments);
      StartLine();
      AppendSpan(statement->span);
      DumpStmt(*statement);
    }
  }

  void DumpNestedBlock(Block block) {
    Append("\n");
    ++indentation_;
    DumpBlock(block);
    --indentation_;
  }

  // Without its indentation, with its line break.
  void DumpStmt(const Stmt& statement) {
    switch (statement.kind) {
      case StmtKind::kIf:
        return DumpIf(*statement.As<If>());
      case StmtKind::kFor:
        return DumpFor(*statement.As<For>());
      case StmtKind::kWhile:
        return DumpWhile(*statement.As<While>());
      case StmtKind::kWith:
        return DumpWith(*statement.As<With>());
      case StmtKind::kFunctionDef:
        return DumpFunctionDef(*statement.As<FunctionDef>());
      case StmtKind::kClassDef:
        return DumpClassDef(*statement.As<ClassDef>());
      default:
        DumpSimple(statement);
        Append("\n");
    }
  }

  void DumpSimple(const Stmt& statement) {
    if (const Import* import = statement.As<Import>()) {
      DumpImport(*import);
    } else if (const Assign* assign = statement.As<Assign>()) {
      DumpWords("assign", {assign->target, assign->value});
    } else if (const AnnAssign* assign = statement.As<AnnAssign>()) {
      DumpWords("annassign",
                {assign->target, assign->annotation, assign->value});
    } else if (const ExprStmt* expr = statement.As<ExprStmt>()) {
      DumpWords("expr", {expr->value});
    } else if (const Return* result = statement.As<Return>()) {
      Append("return");
      if (result->value != nullptr) DumpWords("", {result->value});
    } else if (statement.As<Pass>() != nullptr) {
      Append("pass");
    } else if (statement.As<Break>() != nullptr) {
      Append("break");
    } else {
      Append("continue");
    }
  }

  void DumpImport(const Import& import) {
    Append("import");
    for (const ImportItem& item : import.items) {
      Append(" ");
      AppendSpan(item.span);
      Append(item.module);
      if (!item.alias.empty()) absl::StrAppend(&out_, " as ", item.alias);
    }
  }

  void DumpIf(const If& statement) {
    DumpWords("if", {statement.condition});
    DumpNestedBlock(statement.body);
    if (statement.else_body.empty()) return;
    StartLine();
    Append("else");
    DumpNestedBlock(statement.else_body);
  }

  void DumpFor(const For& statement) {
    DumpWords("for", {statement.target, statement.iterator});
    DumpNestedBlock(statement.body);
  }

  void DumpWhile(const While& statement) {
    DumpWords("while", {statement.condition});
    DumpNestedBlock(statement.body);
  }

  void DumpWith(const With& statement) {
    Append("with");
    for (const WithItem& item : statement.items) {
      DumpWords("", {item.context});
      if (item.target == nullptr) continue;
      DumpWords(" as", {item.target});
    }
    DumpNestedBlock(statement.body);
  }

  void DumpDecorators(absl::Span<const Expr* const> decorators) {
    for (const Expr* decorator : decorators) {
      Append("@");
      DumpExpr(*decorator);
      Append(" ");
    }
  }

  void DumpFunctionDef(const FunctionDef& function) {
    DumpDecorators(function.decorators);
    DumpWords("def", {function.name});
    for (const Param& param : function.params) {
      DumpWords("", {param.name});
      if (param.annotation == nullptr) continue;
      Append(":");
      DumpExpr(*param.annotation);
    }
    if (function.returns != nullptr) DumpWords(" ->", {function.returns});
    DumpNestedBlock(function.body);
  }

  void DumpClassDef(const ClassDef& statement) {
    DumpDecorators(statement.decorators);
    DumpWords("class", {statement.name});
    DumpNestedBlock(statement.body);
  }

  // The word, then the operands with a space in front of each; "_" for a null.
  void DumpWords(absl::string_view word,
                 absl::Span<const Expr* const> operands) {
    Append(word);
    for (const Expr* operand : operands) {
      Append(operand != nullptr ? " " : " _");
      if (operand != nullptr) DumpExpr(*operand);
    }
  }

  void DumpExpr(const Expr& expr) {
    if (const Binary* binary = expr.As<Binary>()) return DumpBinary(*binary);
    AppendSpan(expr.span);
    switch (expr.kind) {
      case ExprKind::kAttribute: {
        const Attribute& attribute = *expr.As<Attribute>();
        DumpExpr(*attribute.value);
        absl::StrAppend(&out_, ".", attribute.name);
        break;
      }
      case ExprKind::kSubscript: {
        const Subscript& subscript = *expr.As<Subscript>();
        DumpWords("(index", {subscript.value, subscript.index});
        Append(")");
        break;
      }
      case ExprKind::kSlice: {
        const Slice& slice = *expr.As<Slice>();
        DumpWords("(slice", {slice.lower, slice.upper});
        Append(")");
        break;
      }
      case ExprKind::kCall:
        DumpCall(*expr.As<Call>());
        break;
      case ExprKind::kUnary: {
        const Unary& unary = *expr.As<Unary>();
        DumpWords(absl::StrCat("(", UnaryOpText(unary.op)), {unary.operand});
        Append(")");
        break;
      }
      case ExprKind::kList:
        DumpWords("(list", expr.As<List>()->elements);
        Append(")");
        break;
      case ExprKind::kTuple:
        DumpWords("(tuple", expr.As<Tuple>()->elements);
        Append(")");
        break;
      case ExprKind::kDict:
        DumpDict(*expr.As<Dict>());
        break;
      default:
        DumpLeaf(expr);
    }
  }

  // The left spine may be as long as the program.
  void DumpBinary(const Binary& root) {
    std::vector<const Binary*> spine;
    const Expr* leftmost = &root;
    while (const Binary* binary = leftmost->As<Binary>()) {
      AppendSpan(binary->span);
      absl::StrAppend(&out_, "(", BinaryOpText(binary->op), " ");
      spine.push_back(binary);
      leftmost = binary->left;
    }
    DumpExpr(*leftmost);
    for (; !spine.empty(); spine.pop_back()) {
      DumpWords("", {spine.back()->right});
      Append(")");
    }
  }

  void DumpCall(const Call& call) {
    DumpWords("(call", {call.callee});
    DumpWords("", call.arguments);
    for (const KeywordArgument& keyword : call.keywords) {
      absl::StrAppend(&out_, " ", keyword.name, "=");
      DumpExpr(*keyword.value);
    }
    Append(")");
  }

  void DumpDict(const Dict& dict) {
    Append("(dict");
    for (const DictEntry& entry : dict.entries) {
      DumpWords("", {entry.key});
      Append(":");
      DumpExpr(*entry.value);
    }
    Append(")");
  }

  void DumpLeaf(const Expr& expr) {
    if (const Name* name = expr.As<Name>()) {
      Append(name->name);
    } else if (const Int* number = expr.As<Int>()) {
      absl::StrAppend(&out_, number->value);
    } else if (const Float* number = expr.As<Float>()) {
      absl::StrAppendFormat(&out_, "%.17gf", number->value);
    } else if (const String* string = expr.As<String>()) {
      absl::StrAppend(&out_, "\"", absl::CHexEscape(string->value), "\"");
    } else if (const Bool* constant = expr.As<Bool>()) {
      Append(constant->value ? "True" : "False");
    } else {
      Append(expr.As<None>() != nullptr ? "None" : "...");
    }
  }

  const SyntaxDumpOptions options_;
  std::string out_;
  int indentation_ = 0;
};

}  // namespace

std::string DumpSyntax(const Module& module, const SyntaxDumpOptions& options) {
  return Dumper(options).DumpModule(module);
}

}  // namespace mxtile::ir::text
