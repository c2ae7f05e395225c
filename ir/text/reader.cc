#include "ir/text/reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "ir/builder.h"
#include "ir/rewriter.h"
#include "ir/stmt_walk.h"
#include "ir/text/body_reader.h"
#include "ir/text/expr_reader.h"
#include "ir/text/parser.h"
#include "ir/text/reader_rules.h"
#include "ir/text/syntax.h"
#include "ir/text/type_reader.h"
#include "ir/type_walk.h"

namespace mxtile::ir {
namespace {

using text::kFunctionRule;
using text::kProgramRule;

constexpr absl::string_view kNamePrefix = "pypto.program:";
// Of decorators: whether PyPTO's parser checks SSA form. The verifier does.
constexpr absl::string_view kStrictSsa = "strict_ssa";

// The mode of the attribute `split`, which is a number in PyPTO's IR.
constexpr absl::string_view kSplitModes[] = {"NONE", "UP_DOWN", "LEFT_RIGHT"};

bool IsSet(const Attr& attr) {
  if (attr.name == "auto_scope") {
    return attr.value.kind != AttrValue::Kind::kBool || !attr.value.bool_value;
  }
  return attr.name != "split" || attr.value.kind != AttrValue::Kind::kEnum ||
         attr.value.text != kSplitModes[0];
}

// Replaces variables that turned out to be one.
class VariableMerger : public Rewriter {
 public:
  using Rewriter::Rewriter;

  Block Merge(Block body,
              const absl::flat_hash_map<const Var*, const Var*>& same) {
    for (const auto& [from, to] : same) Substitute(from, to);
    return RewriteBlock(body);
  }
};

// Reads the definitions of one file: signatures first, so that bodies may call
// functions that stand further down.
class ProgramReader {
 public:
  ProgramReader(const SourceFile& file, Context* context, DiagnosticSink* sink)
      : file_(file),
        context_(*context),
        exprs_(file.name(), context, sink),
        types_(&exprs_),
        bodies_(&exprs_, &types_) {}

  absl::StatusOr<const Program*> Read(const text::Module& module);

 private:
  struct Pending {
    const text::FunctionDef* syntax;
    Function function;
    text::Block body;            // Without the leading pl.func_attr.
    bool states_returns = true;  // Else its body tells callers.
  };

  absl::Status ReadTopLevel(const text::Stmt& stmt);
  absl::Status ReadGlobal(const text::Assign& assign);
  absl::Status ReadDynamicDim(const text::Assign& assign);
  bool IsProgramDecorator(const text::Expr* decorator) const;
  absl::Status ReadClass(const text::ClassDef& definition);
  absl::Status ReadSignature(const text::FunctionDef& definition);
  absl::Status ReadDecorator(const text::Expr* decorator, Function* function,
                             std::vector<Attr>* attrs);
  absl::Status ReadDecoratorKeyword(const text::KeywordArgument& keyword,
                                    Function* function,
                                    std::vector<Attr>* attrs);
  absl::Status CompleteLevelAndRole(const text::FunctionDef& definition,
                                    Function* function);
  absl::Status ReadParams(const text::FunctionDef& definition,
                          Function* function);
  absl::Status ReadReturns(const text::FunctionDef& definition,
                           Function* function);
  absl::Status ReadFunctionAttrs(Pending* pending, std::vector<Attr>* attrs);
  absl::StatusOr<const Function*> ReadBody(Pending* pending);
  absl::Span<const Type* const> ReturnedTypes(Block body);
  Attrs Normalised(std::vector<Attr> attrs);
  void KeepComments(absl::Span<const text::Comment> comments);
  void KeepFunctionComments(absl::Span<const text::Comment> comments);

  const SourceFile& file_;
  Context& context_;
  text::ExprReader exprs_;
  text::TypeReader types_;
  text::BodyReader bodies_;
  std::string name_;  // From the comment.
  bool has_name_comment_ = false;
  std::string class_name_;
  std::vector<absl::string_view> comments_;
  std::vector<absl::string_view> function_comments_;  // Of the one being read.
  std::vector<const Var*> dynamic_dims_;
  std::vector<Pending> functions_;
};

absl::StatusOr<const Program*> ProgramReader::Read(const text::Module& module) {
  for (const text::Stmt* stmt : module.body) {
    MX_RETURN_IF_ERROR(ReadTopLevel(*stmt));
  }
  KeepComments(module.trailing_comments);
  if (functions_.empty()) {
    SourceSpan span;
    span.file = file_.name();
    return exprs_.Error(kProgramRule, span,
                        class_name_.empty()
                            ? "the file holds no program and no function"
                            : "the program has no function");
  }
  const absl::string_view first_name = functions_[0].function.name;
  // Callers need to know what a function returns.
  std::stable_partition(
      functions_.begin(), functions_.end(),
      [](const Pending& pending) { return !pending.states_returns; });
  std::vector<const Function*> functions;
  for (Pending& pending : functions_) {
    MX_ASSIGN_OR_RETURN(const Function* function, ReadBody(&pending));
    functions.push_back(function);
  }
  std::string name = !name_.empty()         ? name_
                     : !class_name_.empty() ? class_name_
                                            : std::string(first_name);
  const Program* program =
      MakeProgram(&context_, name, std::move(functions), dynamic_dims_);
  if (comments_.empty()) return program;
  Program copy = *program;
  copy.comments = context_.List(comments_);
  return context_.New(copy);
}

void ProgramReader::KeepComments(absl::Span<const text::Comment> comments) {
  for (const text::Comment& comment : comments) {
    absl::string_view text = text::CommentText(comment, &context_);
    if (!absl::ConsumePrefix(&text, kNamePrefix)) {
      comments_.push_back(text);
    } else if (!has_name_comment_) {
      // The first one counts, any other says nothing.
      has_name_comment_ = true;
      name_ = std::string(absl::StripAsciiWhitespace(text));
    }
  }
}

// ---- The file

absl::Status ProgramReader::ReadTopLevel(const text::Stmt& stmt) {
  // A function keeps its own.
  if (stmt.As<text::FunctionDef>() == nullptr) KeepComments(stmt.comments);
  if (const auto* import = stmt.As<text::Import>()) {
    for (const text::ImportItem& item : import->items) {
      exprs_.AddModule(item.module,
                       item.alias.empty() ? item.module : item.alias);
    }
    return absl::OkStatus();
  }
  if (const auto* assign = stmt.As<text::Assign>()) {
    return ReadGlobal(*assign);
  }
  if (const auto* definition = stmt.As<text::ClassDef>()) {
    return ReadClass(*definition);
  }
  if (const auto* definition = stmt.As<text::FunctionDef>()) {
    if (!class_name_.empty()) {
      return exprs_.Error(kProgramRule, definition->name->span,
                          "a function outside of the program's class");
    }
    return ReadSignature(*definition);
  }
  const auto* expr = stmt.As<text::ExprStmt>();
  if (expr != nullptr && expr->value->As<text::String>() != nullptr) {
    return absl::OkStatus();  // A docstring.
  }
  return exprs_.Error(kProgramRule, stmt.span,
                      "a file holds imports, dynamic dimensions and one "
                      "program");
}

// N = pl.dynamic("N"), or a constant that bodies name: ROWS = 64.
absl::Status ProgramReader::ReadGlobal(const text::Assign& assign) {
  const auto* name = assign.target->As<text::Name>();
  const bool is_constant = assign.value->As<text::Call>() == nullptr;
  if (name == nullptr || !is_constant) return ReadDynamicDim(assign);
  MX_ASSIGN_OR_RETURN(const Expr* value, exprs_.Read(assign.value));
  const bool is_number =
      Isa<ConstInt>(value) || Isa<ConstFloat>(value) || Isa<ConstBool>(value);
  if (!is_number) return ReadDynamicDim(assign);
  exprs_.AddConstant(name->name, value);
  return absl::OkStatus();
}

absl::Status ProgramReader::ReadDynamicDim(const text::Assign& assign) {
  const auto* name = assign.target->As<text::Name>();
  const auto* call = assign.value->As<text::Call>();
  const bool dynamic = name != nullptr && call != nullptr &&
                       exprs_.PlPath(call->callee) == text::Path{"dynamic"} &&
                       call->arguments.size() == 1 &&
                       call->arguments[0]->As<text::String>() != nullptr;
  if (!dynamic) {
    return exprs_.Error(
        kProgramRule, assign.span,
        "expected NAME = pl.dynamic(\"NAME\") or NAME = NUMBER");
  }
  for (const Var* known : dynamic_dims_) {
    if (known->name == name->name) {
      return exprs_.Error(
          kProgramRule, name->span,
          absl::StrCat("a second dynamic dimension '", name->name, "'"));
    }
  }
  const Var* dim =
      context_.NewVar(name->name, context_.IndexType(), exprs_.At(name->span));
  exprs_.scope().BindGlobal(dim);
  dynamic_dims_.push_back(dim);
  return absl::OkStatus();
}

// @pl.program, also with strict_ssa=..., which asks PyPTO's parser for a check.
bool ProgramReader::IsProgramDecorator(const text::Expr* decorator) const {
  const auto* call = decorator->As<text::Call>();
  if (call != nullptr) {
    if (!call->arguments.empty()) return false;
    for (const text::KeywordArgument& keyword : call->keywords) {
      if (keyword.name != kStrictSsa) return false;
    }
    decorator = call->callee;
  }
  return exprs_.PlPath(decorator) == text::Path{"program"};
}

absl::Status ProgramReader::ReadClass(const text::ClassDef& definition) {
  if (!class_name_.empty() || !functions_.empty()) {
    return exprs_.Error(kProgramRule, definition.name->span,
                        "a second program in the file");
  }
  if (definition.decorators.size() != 1 ||
      !IsProgramDecorator(definition.decorators[0])) {
    return exprs_.Error(kProgramRule, definition.name->span,
                        "a program's class has the decorator @pl.program");
  }
  class_name_ = std::string(definition.name->name);
  for (const text::Stmt* stmt : definition.body) {
    if (const auto* function = stmt->As<text::FunctionDef>()) {
      MX_RETURN_IF_ERROR(ReadSignature(*function));
      continue;
    }
    const auto* expr = stmt->As<text::ExprStmt>();
    if (stmt->As<text::Pass>() != nullptr ||
        (expr != nullptr && expr->value->As<text::String>() != nullptr)) {
      KeepComments(stmt->comments);
      continue;
    }
    return exprs_.Error(kProgramRule, stmt->span,
                        "a program's class holds functions");
  }
  return absl::OkStatus();
}

// ---- Signatures

absl::Status ProgramReader::ReadDecoratorKeyword(
    const text::KeywordArgument& keyword, Function* function,
    std::vector<Attr>* attrs) {
  if (keyword.name == "type") {
    MX_ASSIGN_OR_RETURN(function->function_type,
                        exprs_.ReadEnum<FunctionType>(keyword.value));
  } else if (keyword.name == "level") {
    MX_ASSIGN_OR_RETURN(function->level, exprs_.ReadEnum<Level>(keyword.value));
  } else if (keyword.name == "role") {
    MX_ASSIGN_OR_RETURN(function->role, exprs_.ReadEnum<Role>(keyword.value));
  } else if (keyword.name == "attrs") {
    MX_ASSIGN_OR_RETURN(const Attrs read, exprs_.ReadAttrs(keyword.value));
    attrs->insert(attrs->end(), read.begin(), read.end());
  } else if (keyword.name != kStrictSsa) {
    MX_ASSIGN_OR_RETURN(const AttrValue value,
                        exprs_.ReadAttrValue(keyword.value));
    attrs->push_back({context_.Intern(keyword.name), value});
  }
  return absl::OkStatus();
}

absl::Status ProgramReader::ReadDecorator(const text::Expr* decorator,
                                          Function* function,
                                          std::vector<Attr>* attrs) {
  const auto* call = decorator->As<text::Call>();
  const text::Expr* callee = call != nullptr ? call->callee : decorator;
  if (exprs_.PlPath(callee) != text::Path{"function"} ||
      (call != nullptr && !call->arguments.empty())) {
    return exprs_.Error(kFunctionRule, decorator->span,
                        "expected @pl.function or @pl.function(type=..., ...)");
  }
  if (call == nullptr) return absl::OkStatus();
  for (const text::KeywordArgument& keyword : call->keywords) {
    MX_RETURN_IF_ERROR(ReadDecoratorKeyword(keyword, function, attrs));
  }
  return absl::OkStatus();
}

absl::Status ProgramReader::CompleteLevelAndRole(
    const text::FunctionDef& definition, Function* function) {
  const auto level = DerivedLevel(function->function_type);
  const auto role = DerivedRole(function->function_type);
  const bool contradicts =
      (level && function->level && *level != *function->level) ||
      (role && function->role && *role != *function->role);
  if (contradicts) {
    return exprs_.Error(kFunctionRule, definition.name->span,
                        absl::StrCat("level or role contradict the type ",
                                     EnumName(function->function_type)));
  }
  if (!function->level.has_value()) function->level = level;
  if (!function->role.has_value()) function->role = role;
  return absl::OkStatus();
}

absl::Status ProgramReader::ReadParams(const text::FunctionDef& definition,
                                       Function* function) {
  std::vector<const Var*> params;
  std::vector<ParamDirection> directions;
  for (const text::Param& param : definition.params) {
    if (&param == &definition.params[0] && param.name->name == "self" &&
        param.annotation == nullptr) {
      continue;
    }
    if (param.annotation == nullptr) {
      return exprs_.Error(
          kFunctionRule, param.name->span,
          absl::StrCat("parameter '", param.name->name, "' has no type"));
    }
    ParamDirection direction = ParamDirection::kIn;
    const text::Expr* annotation = param.annotation;
    if (const auto* subscript = annotation->As<text::Subscript>()) {
      const text::Path path = exprs_.PlPath(subscript->value);
      if (path.size() == 1 && (path[0] == "Out" || path[0] == "InOut")) {
        direction = *EnumFromName<ParamDirection>(path[0]);
        annotation = subscript->index;
      }
    }
    MX_ASSIGN_OR_RETURN(const Type* type, types_.Read(annotation));
    if (type->kind == TypeKind::kScalar &&
        direction == ParamDirection::kInOut) {
      return exprs_.Error(kFunctionRule, param.annotation->span,
                          "a scalar parameter cannot be InOut");
    }
    const Var* var =
        context_.NewVar(param.name->name, type, exprs_.At(param.name->span));
    exprs_.scope().Bind(var);
    params.push_back(var);
    directions.push_back(direction);
  }
  function->params = context_.List(params);
  function->directions = context_.List(directions);
  return absl::OkStatus();
}

absl::Status ProgramReader::ReadReturns(const text::FunctionDef& definition,
                                        Function* function) {
  if (definition.returns == nullptr ||
      definition.returns->As<text::None>() != nullptr) {
    return absl::OkStatus();
  }
  std::vector<const text::Expr*> syntax = {definition.returns};
  if (const auto* subscript = definition.returns->As<text::Subscript>()) {
    const auto* name = subscript->value->As<text::Name>();
    if (name != nullptr && name->name == "tuple") {
      const auto* tuple = subscript->index->As<text::Tuple>();
      syntax = {subscript->index};
      if (tuple != nullptr) {
        syntax.assign(tuple->elements.begin(), tuple->elements.end());
      }
    }
  }
  std::vector<const Type*> types;
  for (const text::Expr* annotation : syntax) {
    MX_ASSIGN_OR_RETURN(const Type* type, types_.Read(annotation));
    types.push_back(type);
  }
  function->return_types = context_.List(types);
  return absl::OkStatus();
}

// pl.func_attr({...}) as the first statement, behind a docstring.
absl::Status ProgramReader::ReadFunctionAttrs(Pending* pending,
                                              std::vector<Attr>* attrs) {
  // It may stand behind a docstring.
  const auto expr_at = [pending](size_t i) {
    return i < pending->body.size() ? pending->body[i]->As<text::ExprStmt>()
                                    : nullptr;
  };
  const auto* first = expr_at(0);
  const bool has_docstring =
      first != nullptr && first->value->As<text::String>() != nullptr;
  const auto* stmt = expr_at(has_docstring ? 1 : 0);
  const auto* call = stmt == nullptr ? nullptr : stmt->value->As<text::Call>();
  if (call == nullptr ||
      exprs_.PlPath(call->callee) != text::Path{"func_attr"}) {
    return absl::OkStatus();
  }
  if (call->arguments.size() != 1 || !call->keywords.empty()) {
    return exprs_.Error(kFunctionRule, call->span,
                        "expected pl.func_attr({\"name\": value, ...})");
  }
  MX_ASSIGN_OR_RETURN(const Attrs read, exprs_.ReadAttrs(call->arguments[0]));
  for (const Attr& attr : read) {
    if (FindAttr(*attrs, attr.name) != nullptr) {
      return exprs_.Error(kFunctionRule, call->span,
                          absl::StrCat("the decorator states the attribute '",
                                       attr.name, "' already"));
    }
  }
  attrs->insert(attrs->end(), read.begin(), read.end());
  if (has_docstring) KeepFunctionComments(first->comments);
  KeepFunctionComments(stmt->comments);
  pending->body.remove_prefix(has_docstring ? 2 : 1);
  return absl::OkStatus();
}

// The attributes in the order in which they print, without what is true anyway.
Attrs ProgramReader::Normalised(std::vector<Attr> attrs) {
  for (Attr& attr : attrs) {
    const bool is_number =
        attr.name == "split" && attr.value.kind == AttrValue::Kind::kInt &&
        attr.value.int_value >= 0 && attr.value.int_value < 3;
    if (is_number) {
      attr.value =
          AttrValue::Enum("SplitMode", kSplitModes[attr.value.int_value]);
    }
  }
  attrs.erase(std::remove_if(attrs.begin(), attrs.end(),
                             [](const Attr& attr) { return !IsSet(attr); }),
              attrs.end());
  std::stable_partition(attrs.begin(), attrs.end(), [](const Attr& attr) {
    return StandsInDecorator(attr.name);
  });
  return context_.List(attrs);
}

void ProgramReader::KeepFunctionComments(
    absl::Span<const text::Comment> comments) {
  for (const text::Comment& comment : comments) {
    function_comments_.push_back(text::CommentText(comment, &context_));
  }
}

absl::Status ProgramReader::ReadSignature(const text::FunctionDef& definition) {
  Pending pending{&definition, {}, definition.body};
  Function& function = pending.function;
  function.name = context_.Intern(definition.name->name);
  function.span = exprs_.At(definition.name->span);
  if (exprs_.signatures().contains(function.name)) {
    return exprs_.Error(
        kFunctionRule, definition.name->span,
        absl::StrCat("a second function '", function.name, "'"));
  }
  if (definition.decorators.size() != 1) {
    return exprs_.Error(kFunctionRule, definition.name->span,
                        "a function has the decorator @pl.function");
  }
  exprs_.scope().StartFunction();
  function_comments_.clear();
  KeepFunctionComments(definition.comments);
  std::vector<Attr> attrs;
  MX_RETURN_IF_ERROR(
      ReadDecorator(definition.decorators[0], &function, &attrs));
  MX_RETURN_IF_ERROR(CompleteLevelAndRole(definition, &function));
  MX_RETURN_IF_ERROR(ReadParams(definition, &function));
  MX_RETURN_IF_ERROR(ReadReturns(definition, &function));
  pending.states_returns = definition.returns != nullptr;
  MX_RETURN_IF_ERROR(ReadFunctionAttrs(&pending, &attrs));
  function.attrs = Normalised(std::move(attrs));
  function.comments = context_.List(function_comments_);
  exprs_.signatures()[function.name] = {function.params, function.return_types};
  functions_.push_back(pending);
  return absl::OkStatus();
}

// ---- Bodies

absl::StatusOr<const Function*> ProgramReader::ReadBody(Pending* pending) {
  exprs_.scope().StartFunction(pending->body.size());
  // The allocations that the signature names are those of the body.
  const auto add_bases = [this](const Type& type) {
    ForEachDim(type, [this](const Expr* dim) {
      const Var* var = DynCast<Var>(dim);
      if (var != nullptr && var->type->kind == TypeKind::kPtr) {
        exprs_.scope().AddMemRefBase(var);
      }
    });
  };
  for (const Var* param : pending->function.params) {
    exprs_.scope().Bind(param);
    add_bases(*param->type);
  }
  for (const Type* type : pending->function.return_types) add_bases(*type);
  MX_ASSIGN_OR_RETURN(pending->function.body,
                      bodies_.ReadFunctionBody(pending->body));
  Function& function = pending->function;
  if (!pending->states_returns) {
    exprs_.signatures()[function.name].return_types =
        ReturnedTypes(function.body);
  }
  const auto& same = exprs_.scope().same();
  if (!same.empty()) {
    function.body = VariableMerger(&context_).Merge(function.body, same);
  }
  return context_.New(function);
}

// The types of the first return with values.
absl::Span<const Type* const> ProgramReader::ReturnedTypes(Block body) {
  std::vector<const Type*> types;
  ForEachStmt(body, [&types](const Stmt* stmt) {
    const Return* ret = DynCast<Return>(stmt);
    if (ret == nullptr || !types.empty()) return;
    for (const Expr* value : ret->values) types.push_back(value->type);
  });
  return context_.List(types);
}

}  // namespace

absl::StatusOr<const Program*> ReadProgram(const SourceFile& file,
                                           Context* context,
                                           DiagnosticSink* sink) {
  text::SyntaxTree tree;
  MX_ASSIGN_OR_RETURN(const text::Module* module,
                      text::ParseModule(file, &tree, sink));
  return ProgramReader(file, context, sink).Read(*module);
}

}  // namespace mxtile::ir
