"""Makes mutants of a C file: small faults, each in one place, by clang's syntax tree.

What is mutated: comparisons, arithmetic and logic, the operands of conditions,
conditions as a whole, numbers, truth values, what is returned, and statements, which
are left out. The text of macros is not mutated, nor are prefetches, which decide nothing.
The markers of planted faults (`FAULT(NAME)`) count as absent, in mutants and their names.
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
# A marker in a line, and the line without it.
NESTED = r"((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)"
MARKERS = [(re.compile(marker), plain) for marker, plain in (
    (r"if \(!FAULT\(\w+\)\) ", ""),
    (rf"(?<!if )\(!?FAULT\(\w+\) (?:&&|\|\|) {NESTED}\)", r"\1"),
    (r"!?FAULT\(\w+\) (?:&&|\|\|) ", ""),
    (r"FAULT\(\w+\) \? [^:]* : ", ""),
    (r"FAULT\(\w+\) \+ ", ""))]


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
    drop_faults(tree)
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


def is_fault(node):
    """Whether the node is FAULT(NAME) or !FAULT(NAME)."""
    node = bare(node)
    if node["kind"] == "UnaryOperator" and node["opcode"] == "!":
        node = bare(children(node)[0])
    return node["kind"] == "BinaryOperator" and node["opcode"] == "==" and \
        bare(children(node)[1]).get("referencedDecl", {}).get("name", "").startswith("FAULT_")


def without_fault(node):
    """The node that remains in a normal build; None if nothing remains."""
    inner = bare(node)
    parts = children(inner)
    if inner["kind"] == "BinaryOperator" and inner["opcode"] in ("&&", "||", "+"):
        if is_fault(parts[0]):
            return without_fault(parts[1])
        if is_fault(parts[1]):
            return without_fault(parts[0])
    if inner["kind"] == "ConditionalOperator" and is_fault(parts[0]):
        return without_fault(parts[2])
    if inner["kind"] == "IfStmt" and is_fault(parts[0]):
        return without_fault(parts[1]) if bare(parts[0])["kind"] == "UnaryOperator" else None
    return node


def drop_faults(node):
    """Replaces each node that has a marker by the node that remains."""
    if "inner" in node:
        node["inner"] = [child and (without_fault(child) if child.get("kind") else child) for child in node["inner"]]
        node["inner"] = [child for child in node["inner"] if child is not None]
        for child in node["inner"]:
            drop_faults(child)


def without_markers(text):
    for marker, plain in MARKERS:
        text = marker.sub(plain, text)
    return text


class Finder:
    def __init__(self, file, source):
        self.file, self.source = file, source
        self.found = {}
        self.function = None

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

    def add(self, start, end, new):
        if self.text((start, end)) != new:
            self.found.setdefault((start, end, new), self.function)

    def visit(self, node, parent):
        kind = node["kind"]
        if kind in ("FunctionDecl", "EnumDecl", "VarDecl", "RecordDecl") and parent is None:
            self.function = node.get("name", kind.replace("Decl", "").lower())
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
        for child in children(node):
            self.visit(child, node)

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
            line_start = self.source.rfind(b"\n", 0, start) + 1
            line_end = self.source.find(b"\n", start)
            line = " ".join(self.source[line_start:line_end].decode().split())
            old = " ".join(self.text((start, end)).split())
            line, old, new_text = map(without_markers, (line, old, " ".join(new.split())))
            key = f"{self.file.split('/')[-1]} | {function} | {line} | {old} -> {new_text or 'nothing'}"
            key = " ".join(key.split())
            seen[key] += 1
            if seen[key] > 1:
                key += f" #{seen[key]}"
            mutants.append(Mutant(self.file, start, end, new, key))
        return mutants


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
