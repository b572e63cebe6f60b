"""Makes mutants of a C file: small faults, each in one place, by clang's syntax tree.

- Another operator, one operand of an expression instead of both, a condition that is always true or false.
- A number that is one more or less, another constant of its enumeration, another truth value, another result.
- Another variable of its type that was used shortly before, or another field of its type.
- A narrower type, a cast that is left out.
- A statement that is left out, two of which the first matters to the second in the other order, a case without its label.

The text of macros is not mutated, nor what asks for memory ahead, which decides nothing.
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
NARROWER = {"uint64_t": "uint32_t", "size_t": "uint32_t", "int64_t": "int32_t", "uint32_t": "uint16_t", "unsigned": "uint16_t",
            "unsigned int": "uint16_t", "int": "int16_t", "uint16_t": "uint8_t", "double": "float"}
JUMPS = ("ReturnStmt", "BreakStmt", "ContinueStmt")
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
    found.note_types(tree)
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
        # The fields of each struct and the constants of each enumeration that follow and precede one, by its id; and what
        # the constants are.
        self.siblings, self.values = {}, {}
        # The variables and fields of each scope that were declared or used so far, each with its type.
        self.scopes = []

    def note_types(self, node):
        kinds = {"RecordDecl": "FieldDecl", "EnumDecl": "EnumConstantDecl"}
        for child in children(node):
            self.note_types(child)
        members = [child for child in children(node) if child["kind"] == kinds.get(node["kind"]) and "name" in child]
        for i, member in enumerate(members):
            others = [other for other in members[i + 1:] + members[:i] if type_of(other) == type_of(member)]
            self.siblings[member["id"]] = list(dict.fromkeys(other["name"] for other in others[:1] + others[-1:]))
            given = [int(part["value"]) for part in children(member) if part["kind"] == "ConstantExpr" and "value" in part]
            if node["kind"] == "EnumDecl":
                before = self.values[members[i - 1]["name"]] if i > 0 else -1
                self.values[member["name"]] = given[0] if given else before + 1

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
        if kind == "StaticAssertDecl" or kind.endswith("Attr"):
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
        if kind == "CompoundStmt":
            self.swap_statements(children(node))

    def swap_statements(self, statements):
        """Two statements change places if one of them calls, leaves, or writes what the other names."""
        for first, second in zip(statements, statements[1:]):
            spans = [self.whole(first), self.whole(second)]
            if "DeclStmt" in (first["kind"], second["kind"]) or not all(spans) or not is_order_seen(first, second):
                continue
            between = self.text((spans[0][1], spans[1][0]))
            self.add(spans[0][0], spans[1][1], self.text(spans[1]) + between + self.text(spans[0]))

    def whole(self, statement):
        """Where a statement stands with its semicolon, or None."""
        span = self.span(statement)
        if span and self.text((span[1] - 1, span[1])) not in ";}":
            span = span[0], self.source.find(b";", span[1]) + 1
        return span

    def mutate_DeclRefExpr(self, node, span):
        declared = node["referencedDecl"]
        if declared["kind"] in ("VarDecl", "ParmVarDecl"):
            self.swap_variable(node, span, declared["name"])
        elif declared["kind"] == "EnumConstantDecl" and self.text(span) == declared["name"]:
            others = self.siblings.get(declared["id"], ())
            for other in others:
                self.add(*span, other)
            for by in (1, -1):
                if self.values[declared["name"]] + by not in [self.values[other] for other in others]:
                    self.add(*span, f"({declared['name']} {'+-'[by < 0]} 1)")

    def mutate_MemberExpr(self, node, span):
        self.swap_variable(node, span, node["name"])
        if self.text(span).endswith(node["name"]):
            for other in self.siblings.get(node.get("referencedMemberDecl"), ()):
                self.add(span[1] - len(node["name"]), span[1], other)

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
        self.narrow(node, span)

    def mutate_ParmVarDecl(self, node, span):
        if "name" in node:
            self.scopes[-1].append((node["name"], type_of(node)))
            self.narrow(node, span)

    def mutate_FieldDecl(self, node, span):
        self.narrow(node, span)

    def narrow(self, node, span):
        """A declaration's type becomes a narrower one."""
        kind = type_of(node)
        at = re.search(rf"\b{kind}\b", self.text(span)) if kind in NARROWER else None
        if at:
            self.add(span[0] + at.start(), span[0] + at.end(), NARROWER[kind])

    def mutate_CStyleCastExpr(self, node, span):
        part = self.span(children(node)[-1])
        if part and "*" not in type_of(node):
            self.add(*span, self.text(part))

    def mutate_BinaryOperator(self, node, span):
        left, right = children(node)
        left_span, right_span = self.span(left), self.span(right)
        if not left_span or not right_span:
            return
        operator = node["opcode"]
        start = self.source.find(operator.encode(), left_span[1], right_span[0])
        for other in OTHER_OPERATORS.get(operator, ()) if start >= 0 else ():
            self.add(start, start + len(operator), other)
        if operator in ("&&", "||", "+", "|", "&", "*"):
            self.add(*span, self.text(left_span))
            self.add(*span, self.text(right_span))
        elif operator in ("-", "/", "%", "<<", ">>"):
            self.add(*span, self.text(left_span))

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
        elif text[:1].isupper():
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

    def mutate_CaseStmt(self, node, span):
        """What the label is of is done for what stands before it, and its value goes where others go."""
        body = self.span(children(node)[-1])
        if body:
            self.add(span[0], body[0], "")

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


def names_of(node):
    """The variables and fields that a statement names, and of these what it writes; "*" in both for a call or a jump, which
    may be any."""
    named, written = set(), set()
    kind = node["kind"]
    if kind == "CallExpr" or kind in JUMPS:
        named.add("*")
        written.add("*")
    if kind == "MemberExpr":
        named.add(node["name"])
    elif kind == "DeclRefExpr":
        named.add(node["referencedDecl"]["name"])
    for child in children(node):
        more, writes = names_of(child)
        named |= more
        written |= writes
    is_write = kind == "CompoundAssignOperator" or kind == "BinaryOperator" and node["opcode"] == "=" or \
        kind == "UnaryOperator" and node["opcode"] in ("++", "--")
    if is_write:
        target = bare(children(node)[0])
        while target["kind"] in ("ArraySubscriptExpr", "UnaryOperator") and children(target):
            target = bare(children(target)[0])
        written.add(target.get("name") or target.get("referencedDecl", {}).get("name", "*"))
    return named, written


def is_order_seen(first, second):
    """Whether two statements in the other order may do something else."""
    if second["kind"] in JUMPS or first["kind"] in JUMPS:
        return False
    (named, written), (other_named, other_written) = names_of(first), names_of(second)
    return bool(written & other_named or other_written & named or "*" in written and other_written or
                "*" in other_written and written)


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
