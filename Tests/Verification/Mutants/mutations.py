"""Makes mutants of a C file: small faults, each in one place, by clang's syntax tree.

What is mutated: comparisons, arithmetic and logic, the operands of conditions,
conditions as a whole, numbers, truth values, what is returned, and statements, which
are left out or change places with the next one. A variable or field becomes one of the same
type that was used shortly before, a 64-bit value is cut to 32 bits, and of the targets of
`a = b = 0` one is left out. The text of macros is not mutated, nor are prefetches, which
decide nothing.
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
LONG_TYPES = ("uint64_t", "int64_t")
SCOPES = ("FunctionDecl", "CompoundStmt", "ForStmt")
JUMPS = ("ReturnStmt", "BreakStmt", "ContinueStmt", "GotoStmt", "CaseStmt", "DefaultStmt", "LabelStmt", "DeclStmt")


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
    found = Finder(file, source, {node["name"]: node["inner"][-1] for node in tree["inner"]
                                  if node["kind"] == "FunctionDecl" and children(node) and node["inner"][-1]["kind"] == "CompoundStmt"})
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
    def __init__(self, file, source, functions):
        self.file, self.source = file, source
        # The bodies of the unit's functions; once asked for, what they read and write.
        self.functions = functions
        self.found = {}
        self.function, self.returned = None, ""
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

    def add(self, start, end, new, change=None):
        if self.text((start, end)) != new:
            self.found.setdefault((start, end, new), (self.function, change))

    def visit(self, node, parent):
        kind = node["kind"]
        if kind in ("FunctionDecl", "EnumDecl", "VarDecl", "RecordDecl") and parent is None:
            self.function = node.get("name", kind.replace("Decl", "").lower())
            self.returned = type_of(node).split(" (")[0]
        # What a static assertion says is no code, and attributes are not the program's.
        if kind == "StaticAssertDecl" or kind.endswith("Attr") or kind == "FieldDecl":
            return
        if asks_ahead(node):
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
        if "init" in node and type_of(node) in LONG_TYPES:
            self.narrow(children(node)[-1])

    def mutate_ParmVarDecl(self, node, span):
        if "name" in node:
            self.scopes[-1].append((node["name"], type_of(node)))

    def narrow(self, node):
        """Cuts a value to 32 bits, unless it has no more."""
        span = self.span(node)
        if span and bare(node)["kind"] != "IntegerLiteral" and type_of(bare(node)) not in ("uint32_t", "_Bool", "bool", "int"):
            self.add(*span, f"(uint32_t)({self.text(span)})")

    def mutate_CompoundStmt(self, node, span):
        """Two statements change places where the one depends on the other."""
        parts = children(node)
        for one, other in zip(parts, parts[1:]):
            if one["kind"] in JUMPS or other["kind"] in JUMPS or not depends(effects(one, self.functions), effects(other, self.functions)):
                continue
            first, second = self.statement(one), self.statement(other)
            if first and second:
                texts = self.text(first), self.text(second)
                self.add(first[0], second[1], texts[1] + self.text((first[1], second[0])) + texts[0],
                         " <-> ".join(text.split("\n")[0] for text in texts))

    def statement(self, node):
        """Where a statement stands, with its semicolon."""
        span = self.span(node)
        if not span or self.text(span).startswith("SETTLE_ASSERT"):
            return None
        end = re.compile(rb"\s*;").match(self.source, span[1])
        return (span[0], end.end()) if end else span

    def mutate_BinaryOperator(self, node, span):
        left, right = children(node)
        left_span, right_span = self.span(left), self.span(right)
        if not left_span or not right_span:
            return
        operator = node["opcode"]
        if operator == "=":
            if bare(right).get("opcode") == "=":
                self.add(*span, self.text(right_span))
                inner_left, inner_right = children(bare(right))
                if self.span(inner_left) and self.span(inner_right):
                    self.add(self.span(inner_left)[0], self.span(inner_right)[0], "")
            elif type_of(left) in LONG_TYPES:
                self.narrow(right)
        if operator in ("<", "<=", ">", ">=", "==", "!="):
            for side in (left, right):
                if bare(side)["kind"] in ("DeclRefExpr", "MemberExpr") and type_of(bare(side)) in LONG_TYPES:
                    self.narrow(side)
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
            if int(node["value"]) > 0:
                self.add(*span, f"({text} - 1)")

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
        if self.returned in LONG_TYPES:
            self.narrow(value)
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
        for (start, end, new), (function, change) in sorted(self.found.items(), key=lambda item: item[0]):
            line_start = self.source.rfind(b"\n", 0, start) + 1
            line_end = self.source.find(b"\n", start)
            line = " ".join(self.source[line_start:line_end].decode().split())
            old = " ".join(self.text((start, end)).split())
            change = change or f"{old} -> {' '.join(new.split()) or 'nothing'}"
            key = f"{self.file.split('/')[-1]} | {function} | {line} | {change}"
            key = " ".join(key.split())
            seen[key] += 1
            if seen[key] > 1:
                key += f" #{seen[key]}"
            mutants.append(Mutant(self.file, start, end, new, key))
        return mutants


def type_of(node):
    """The type as the source has it, without qualifiers."""
    return re.sub(r"\b(?:const|volatile|restrict)\b ?", "", node.get("type", {}).get("qualType", "")).strip()


def name_of(node):
    """How a variable is called, or a field with a dot before it; "*" for what a pointer reaches."""
    if node["kind"] == "MemberExpr":
        return f".{node['name']}"
    return node.get("referencedDecl", {}).get("name") or "*"


def effects(node, functions):
    """The variables and fields that a statement reads and writes, also in the functions of this
    unit that it calls; other functions write "*", and so does a jump."""
    reads, writes = set(), set()
    kind, parts = node["kind"], children(node)
    if kind == "CallExpr":
        callee, parts = name_of(bare(parts[0])), parts[1:]
        if callee in functions:
            body = functions[callee]
            if isinstance(body, dict):
                functions[callee] = (set(), {"*"})  # where it calls itself
                functions[callee] = tuple({name for name in names if name[0] in ".*"} for names in effects(body, functions))
            reads, writes = map(set, functions[callee])
        elif not callee.startswith("__builtin"):
            writes.add("*")
    elif kind in ("BinaryOperator", "CompoundAssignOperator") and node["opcode"].endswith("=") and \
            node["opcode"] not in ("==", "!=", "<=", ">=") or kind == "UnaryOperator" and node["opcode"] in ("++", "--"):
        target = bare(parts[0])
        writes.add(name_of(target))
        if kind == "BinaryOperator":
            parts = [*children(target), *parts[1:]]
    elif kind in ("MemberExpr", "DeclRefExpr"):
        reads.add(name_of(node))
    elif kind in JUMPS[:4]:
        writes.add("*")
    for part in parts:
        part_reads, part_writes = effects(part, functions)
        reads |= part_reads
        writes |= part_writes
    return reads, writes


def depends(one, other):
    """Whether the order of two effects matters, or may."""
    return any("*" in writes and (reads or others) or writes & (reads | others)
               for (_, writes), (reads, others) in ((one, other), (other, one)))


def asks_ahead(node):
    """Whether the node is a function or a call that asks for memory ahead."""
    if node["kind"] == "CallExpr":
        node = bare(children(node)[0]).get("referencedDecl", {})
    elif node["kind"] != "FunctionDecl":
        return False
    return node.get("name", "").startswith(("prefetch", "__builtin_prefetch"))


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
