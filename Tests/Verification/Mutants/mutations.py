"""Makes mutants of a C file: small faults, each in one place, by clang's syntax tree.

What is mutated: comparisons, arithmetic and logic, the operands of conditions, conditions as a whole,
numbers, truth values, what is returned, and statements, which are left out. A variable or field becomes
one of the same type that was used shortly before. The text of macros is not mutated, nor what asks for
memory ahead, which decides nothing.
"""
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass

OTHER_OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",), "<<": (">>",), ">>": ("<<",),
    "&": ("|",), "|": ("&",), "^": ("|",), "&&": ("||",), "||": ("&&",),
    "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",), "^=": ("|=",), "<<=": (">>=",), ">>=": ("<<=",),
    "++": ("--",), "--": ("++",),
}
EXPRESSION_STATEMENTS = ("BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "CallExpr")
WRAPPERS = ("ImplicitCastExpr", "ParenExpr", "ConstantExpr")
# Of how many variables of its type a variable is replaced by, the last used first.
NEIGHBOURS = 2
SCOPES = ("FunctionDecl", "CompoundStmt", "ForStmt")


@dataclass(frozen=True)
class Mutant:
    """One text replaced by another. `key` names it by what stands in the source and not
    by where, so that it keeps its name while other lines change."""
    file: str
    start: int
    end: int
    new: str
    key: str = ""

    def apply(self, source):
        return source[:self.start] + self.new.encode() + source[self.end:]


def mutants_of(clang, flags, file, unit):
    """The mutants of `file`, in its order, as `unit` (itself or a source that includes it)
    compiles it."""
    dump = subprocess.run([clang, *flags, "-Xclang", "-ast-dump=json", "-fsyntax-only", unit],
                          check=True, capture_output=True).stdout
    tree = json.loads(dump)
    locate(tree, [None])
    with open(file, "rb") as opened:
        source = opened.read()
    found = Finder(file, source)
    for node in tree["inner"]:
        found.visit(node, None)
    return found.named()


def locate(node, file):
    """Writes the file into each place: clang says it only where it differs from the last."""
    if isinstance(node, list):
        for item in node:
            locate(item, file)
    elif isinstance(node, dict):
        if "offset" in node:
            file[0] = node.get("file", file[0])
            node["file"] = file[0]
            return
        for key, item in node.items():
            if key != "includedFrom" and isinstance(item, (dict, list)):
                locate(item, file)


def children(node):
    return [child for child in node.get("inner", []) if child.get("kind")]


def bare(node):
    """The node without casts that the compiler added and without parentheses."""
    while node["kind"] in WRAPPERS and len(children(node)) == 1:
        node = children(node)[0]
    return node


class Finder:
    def __init__(self, file, source):
        self.file, self.source = file, source
        self.found = {}
        self.function = None
        # The variables and fields of each scope that were declared or used so far, each with its type.
        self.scopes = []

    def span(self, node):
        """Where the node stands in this file, or None."""
        places = []
        for end in ("begin", "end"):
            place = node.get("range", {}).get(end, {})
            if "expansionLoc" in place:
                # Within a macro's own text there is no place for a mutant.
                if place["spellingLoc"].get("file") == self.file and \
                        self.source[place["expansionLoc"].get("offset", 0):][:1].isupper() is False:
                    return None
                place = place["expansionLoc"]
            if place.get("file") != self.file or "offset" not in place:
                return None
            places.append(place)
        return places[0]["offset"], places[1]["offset"] + places[1]["tokLen"]

    def text(self, span):
        return self.source[span[0]:span[1]].decode()

    def line(self, at):
        return self.source[self.source.rfind(b"\n", 0, at) + 1:self.source.find(b"\n", at)].decode()

    def add(self, start, end, new):
        if self.text((start, end)) != new and "prefetch" not in self.line(start).lower():
            self.found.setdefault((start, end, new), self.function)

    def visit(self, node, parent):
        kind = node["kind"]
        if kind in ("FunctionDecl", "EnumDecl", "VarDecl", "RecordDecl") and parent is None:
            self.function = node.get("name", kind.replace("Decl", "").lower())
        # What a static assertion says is no code, and attributes are not the program's.
        if kind == "StaticAssertDecl" or kind.endswith("Attr") or kind == "FieldDecl":
            return
        if kind == "FunctionDecl" and self.function.startswith("prefetch"):
            return
        span = self.span(node)
        if span:
            getattr(self, "mutate_" + kind, lambda *_: None)(node, span)
            if parent and is_statement(node, parent):
                self.add(*span, "")
        if kind in SCOPES:
            self.scopes.append([])
        for child in children(node):
            self.visit(child, node)
        if kind in SCOPES:
            self.scopes.pop()

    def mutate_DeclRefExpr(self, node, span):
        if node["referencedDecl"]["kind"] in ("VarDecl", "ParmVarDecl"):
            self.swap_variable(node, span, node["referencedDecl"]["name"])

    def mutate_MemberExpr(self, node, span):
        self.swap_variable(node, span, node["name"])

    def swap_variable(self, node, span, name):
        """Replaces a variable or field by those of its type that were used last."""
        text, kind = self.text(span), type_of(node)
        if not re.fullmatch(rf"(?:\w+(?:->|\.))*{name}", text):
            return
        known = [other for scope in reversed(self.scopes) for other, its in reversed(scope) if its == kind]
        for other in [other for other in dict.fromkeys(known) if other != text][:NEIGHBOURS]:
            self.add(*span, other)
        if self.scopes:
            self.scopes[-1].append((text, kind))

    def mutate_VarDecl(self, node, span):
        if self.scopes:
            self.scopes[-1].append((node["name"], type_of(node)))

    def mutate_ParmVarDecl(self, node, span):
        if "name" in node:
            self.scopes[-1].append((node["name"], type_of(node)))

    def mutate_BinaryOperator(self, node, span):
        left, right = children(node)
        left_span, right_span = self.span(left), self.span(right)
        if not left_span or not right_span:
            return
        operator = node["opcode"]
        start = self.source.find(operator.encode(), left_span[1], right_span[0])
        for other in OTHER_OPERATORS.get(operator, ()) if start >= 0 else ():
            self.add(start, start + len(operator), other)
        if operator in ("&&", "||"):
            self.add(*span, self.text(left_span))
            self.add(*span, self.text(right_span))

    mutate_CompoundAssignOperator = mutate_BinaryOperator

    def mutate_UnaryOperator(self, node, span):
        operator = node["opcode"]
        if operator in OTHER_OPERATORS and operator in ("++", "--"):
            at = span[1] - 2 if node.get("isPostfix") else span[0]
            self.add(at, at + 2, OTHER_OPERATORS[operator][0])
        elif operator in ("!", "~", "-"):
            self.add(span[0], span[0] + 1, "")

    def mutate_IntegerLiteral(self, node, span):
        text = self.text(span)
        if text in ("true", "false"):
            self.add(*span, "false" if text == "true" else "true")
        elif text[:1].isdigit():
            self.add(*span, f"({text} + 1)")

    mutate_CXXBoolLiteralExpr = mutate_IntegerLiteral

    def condition(self, node, values):
        span = self.span(node)
        if span and bare(node)["kind"] != "IntegerLiteral":
            for value in values:
                self.add(*span, value)

    def mutate_IfStmt(self, node, span):
        self.condition(children(node)[0], ("true", "false"))

    def mutate_WhileStmt(self, node, span):
        self.condition(children(node)[0], ("false",))

    def mutate_ForStmt(self, node, span):
        # The body is the last, what counts on is before it, the condition before that.
        parts = node.get("inner", [])
        if len(parts) == 5 and parts[2].get("kind"):
            self.condition(parts[2], ("false",))

    def mutate_ConditionalOperator(self, node, span):
        for part in children(node)[1:]:
            part_span = self.span(part)
            if part_span:
                self.add(*span, f"({self.text(part_span)})")

    def mutate_ReturnStmt(self, node, span):
        if not children(node):
            return
        value = children(node)[0]
        value_span, kind = self.span(value), value.get("type", {}).get("desugaredQualType", value["type"]["qualType"])
        if not value_span or bare(value)["kind"] == "IntegerLiteral":
            return
        if kind in ("_Bool", "bool"):
            self.add(*value_span, "true")
            self.add(*value_span, "false")
        elif "*" not in kind and "struct" not in kind and kind not in ("double",):
            self.add(*value_span, "0")
            self.add(*value_span, "1")

    def mutate_BreakStmt(self, node, span):
        self.add(*span, "")

    mutate_ContinueStmt = mutate_BreakStmt

    def named(self):
        """The mutants with their keys; of equal ones in equal lines of one function, the
        later ones are numbered."""
        mutants, seen = [], Counter()
        for (start, end, new), function in sorted(self.found.items(), key=lambda item: item[0]):
            change = f"{self.text((start, end))} -> {new or 'nothing'}"
            key = " ".join(f"{self.file.split('/')[-1]} | {function} | {self.line(start)} | {change}".split())
            seen[key] += 1
            if seen[key] > 1:
                key += f" #{seen[key]}"
            mutants.append(Mutant(self.file, start, end, new, key))
        return mutants


def type_of(node):
    """The type as the source has it, without qualifiers."""
    return re.sub(r"\b(?:const|volatile|restrict)\b ?", "", node.get("type", {}).get("qualType", "")).strip()


def is_statement(node, parent):
    """Whether the node is an expression that stands alone for what it does."""
    if node["kind"] not in EXPRESSION_STATEMENTS or \
            (node["kind"] == "UnaryOperator" and node["opcode"] not in ("++", "--")):
        return False
    if parent["kind"] in ("CompoundStmt", "CaseStmt", "DefaultStmt"):
        return True
    # Of a for, only the body; of an if, all but the condition.
    if parent["kind"] == "ForStmt":
        return node is children(parent)[-1]
    return parent["kind"] in ("IfStmt", "WhileStmt") and node is not children(parent)[0]
