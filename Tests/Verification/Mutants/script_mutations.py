"""Makes mutants of a JavaScript module, by acorn's syntax tree, or of a Python module, by the module ast: small faults, each in one place.

Both trees become one: nodes with a kind, a span and parts by name. What is mutated: bounds (a number by one, < by <=), operators, terms of
sums, halves of conditions, conditions as a whole, truth values, what is returned early, statements (left out, or swapped with the next),
and a member by another one of the same object that is used nearby.
"""
import ast
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass

OTHER_OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "===": ("!==",), "!==": ("===",), "==": ("!=",), "!=": ("==",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "//": ("*",), "%": ("*",), "**": ("*",), "<<": (">>",), ">>": ("<<",), ">>>": ("<<",),
    "&": ("|",), "|": ("&",), "^": ("|",), "&&": ("||",), "||": ("&&",), "and": ("or",), "or": ("and",), "is not": ("is",), "is": ("is not",),
    "not in": ("in",), "in": ("not in",), "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",), "++": ("--",), "--": ("++",),
}
JOINS = ("&&", "||", "??", "and", "or")
ARITHMETIC = ("+", "-", "*", "/", "//", "|", "&")
SIMPLE = ("ExpressionStatement", "Expr", "Assign", "AugAssign", "VariableDeclaration", "AnnAssign", "IfStatement", "If")
DUMP = """const { parse } = require("/usr/share/nodejs/acorn");
process.stdout.write(JSON.stringify(parse(require("fs").readFileSync(0, "utf8"), { ecmaVersion: "latest", sourceType: "module" }),
    (key, value) => typeof value === "bigint" ? { bigint: String(value) } : value));"""


@dataclass(frozen=True)
class Mutant:
    """One text replaced by another. `key` names it by what stands in the source, so that it keeps its name while other lines change."""
    file: str
    start: int
    end: int
    new: str
    key: str
    first: int  # the first line of the function around it, 0 for none

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


class Node:
    """A part of a source: its kind, where it stands, the nodes in it, and lists of statements in it."""

    def __init__(self, kind, start, end, **facts):
        self.kind, self.start, self.end = kind, start, end
        self.parts, self.blocks = [], []
        self.operator = self.test = self.value = self.member = None
        self.is_early = self.is_target = False
        self.first = 0
        self.__dict__.update(facts)


def from_javascript(text):
    dump = subprocess.run(["node", "-e", DUMP], input=text, capture_output=True, text=True, check=True).stdout
    return estree(json.loads(dump))


def estree(raw, is_target=False):
    kind = raw["type"]
    made = Node(kind, raw["start"], raw["end"], is_target=is_target)
    if kind == "ImportDeclaration":
        return made
    for name, value in raw.items():
        each = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict) and "type" in part]
        if kind == "MemberExpression" and name == "property" and not raw["computed"] or kind == "Property" and name == "key":
            continue
        nodes = [estree(part, name in ("left", "callee") and kind in ("AssignmentExpression", "CallExpression")) for part in each]
        made.parts += nodes
        if name in ("body", "consequent") and isinstance(value, list):
            made.blocks.append(nodes)
        if name == "test":
            made.test = nodes[0] if nodes else None
    if kind in ("BinaryExpression", "LogicalExpression", "AssignmentExpression", "UpdateExpression", "UnaryExpression"):
        made.operator = raw["operator"]
    if kind == "Literal" and isinstance(raw.get("value"), (bool, int, float, dict)) and "regex" not in raw:
        made.value = raw["value"]
    if kind == "MemberExpression" and not raw["computed"] and raw["property"]["type"] == "Identifier":
        made.member = (raw["object"]["start"], raw["object"]["end"], raw["property"]["start"], raw["property"]["name"])
    consequent = raw.get("consequent")
    if kind == "IfStatement" and raw["alternate"] is None:
        last = consequent["body"][-1] if consequent["type"] == "BlockStatement" and consequent["body"] else consequent
        made.is_early = last["type"] in ("ReturnStatement", "ContinueStatement", "BreakStatement", "ThrowStatement")
    return made


def from_python(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def place(line, column):
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def visit(raw, is_target=False):
        if not hasattr(raw, "lineno"):
            start = end = 0
        else:
            start, end = place(raw.lineno, raw.col_offset), place(raw.end_lineno, raw.end_col_offset)
        made = Node(type(raw).__name__, start, end, is_target=is_target)
        if isinstance(raw, ast.If) and isinstance(raw.test, ast.Name) and raw.test.id == "TYPE_CHECKING":
            return Node("Typing", start, end)
        for name, value in ast.iter_fields(raw):
            # Types are judged by mypy, and decorators make what the rest is.
            if name in ("annotation", "returns", "decorator_list", "type_params") or isinstance(raw, (ast.Import, ast.ImportFrom)):
                continue
            each = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST) and hasattr(part, "_fields")]
            nodes = [visit(part, name in ("targets", "target", "func")) for part in each]
            made.parts += nodes
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                made.blocks.append(nodes)
            if name == "test":
                made.test = nodes[0]
        if isinstance(raw, (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.AugAssign, ast.Compare)):
            made.operator = "?"
            made.parts = [part for part in made.parts if part.end > part.start]
        if isinstance(raw, ast.Constant) and isinstance(raw.value, (bool, int, float)):
            made.value = raw.value
        if isinstance(raw, ast.Attribute):
            made.member = (visit(raw.value).start, visit(raw.value).end, end - len(raw.attr), raw.attr)
        if isinstance(raw, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made.first = min(part.lineno for part in [raw, *raw.decorator_list])
        if isinstance(raw, ast.If) and not raw.orelse:
            made.is_early = isinstance(raw.body[-1], (ast.Return, ast.Continue, ast.Break, ast.Raise))
        return made

    return visit(ast.parse(text))


class Finder:
    def __init__(self, file, text):
        self.file, self.text, self.found, self.members, self.function = file, text, {}, {}, 0
        self.is_python = str(file).endswith(".py")
        self.no, self.nothing = ("not ", "pass") if self.is_python else ("!", ";")
        # Text in f-strings has no places of its own before Python 3.12.
        self.visit(from_python(text) if self.is_python else from_javascript(text))

    def of(self, node):
        return self.text[node.start:node.end]

    def add(self, start, end, new):
        if start < end and self.text[start:end] != new:
            self.found.setdefault((start, end, new), self.function)

    def visit(self, node):
        before, self.function = self.function, node.first or self.function
        self.mutate(node)
        self.function = before

    def mutate(self, node):
        self.numbers(node)
        self.operators(node)
        self.member(node)
        if node.test is not None and node.test.value is None and node.kind != "Assert":
            self.add(node.test.start, node.test.end, f"{self.no}({self.of(node.test)})")
        if node.is_early:
            self.add(node.start, node.end, self.nothing)
        for block in node.blocks:
            self.block(block)
        if node.kind == "JoinedStr":
            return
        for part in node.parts:
            self.visit(part)

    def numbers(self, node):
        text = self.of(node)
        if isinstance(node.value, bool):
            self.add(node.start, node.end, {"true": "false", "false": "true", "True": "False", "False": "True"}[text])
        elif node.value is not None:
            one = "1n" if text.endswith("n") else "1"
            self.add(node.start, node.end, f"({text} + {one})")
            if text not in ("0", "0n"):
                self.add(node.start, node.end, f"({text} - {one})")

    def operators(self, node):
        if node.operator is None or not node.parts:
            return
        if len(node.parts) == 1:
            sign = re.match(r"(?:not\s+|!|-|~|\+\+|--)|", self.of(node))[0] or self.of(node)[-2:]
            if sign in ("++", "--"):
                at = node.start if self.of(node).startswith(sign) else node.end - 2
                self.add(at, at + 2, OTHER_OPERATORS[sign][0])
            elif sign.strip() in ("not", "!", "-", "~"):
                self.add(node.start, node.start + len(sign), "")
            return
        for left, right in zip(node.parts, node.parts[1:]):
            found = re.search(r"[^\s()]+(?: (?:not|in)\b)?", self.text[left.end:right.start])
            if not found:
                continue
            at, sign = left.end + found.start(), found[0]
            for other in OTHER_OPERATORS.get(sign, ()):
                self.add(at, at + len(sign), other)
            if sign in JOINS or sign in ARITHMETIC:
                self.add(node.start, node.end, self.of_only(node, left, right, is_left=True))
                if sign != "-":
                    self.add(node.start, node.end, self.of_only(node, left, right, is_left=False))

    def of_only(self, node, left, right, is_left):
        """The text of an operation without the operand right of an operator, or left of it."""
        if len(node.parts) == 2:
            kept = self.text[node.start:left.end] if is_left else self.text[right.start:node.end]
            opened, closed = kept.count("("), kept.count(")")
            return "(" * max(0, closed - opened) + kept + ")" * max(0, opened - closed)
        dropped = right if is_left else left
        return f" {'and' if ' and ' in self.text[left.end:right.start] else 'or'} ".join(self.of(part) for part in node.parts if part is not dropped)

    def member(self, node):
        if node.member is None or node.is_target:
            return
        start, end, at, name = node.member
        known = self.members.setdefault(self.text[start:end], [])
        others = [other for other in reversed(known) if other != name]
        if others:
            self.add(at, at + len(name), others[0])
        if name not in known:
            known.append(name)

    def block(self, statements):
        for statement in statements:
            text = self.of(statement)
            is_text = self.is_python and re.match(r'[rf]?"""', text)
            if statement.kind in ("ExpressionStatement", "Expr", "AugAssign", "Delete", "Raise") and not is_text:
                self.add(statement.start, statement.end, self.nothing)
        for one, other in zip(statements, statements[1:]):
            if one.kind in SIMPLE and other.kind in SIMPLE and not self.are_apart(one, other):
                self.add(one.start, other.end, self.of(other) + self.text[one.end:other.start] + self.of(one))

    def are_apart(self, *both):
        """Whether the order of two statements seldom matters: each gives a value to something that the other does not mention, one of two
        is a declaration, or one is a text that documents."""
        if self.is_python and re.match(r'[rf]?"""', self.of(both[0])):
            return True
        if {each.kind for each in both} <= {"VariableDeclaration", "Assign", "AnnAssign", "IfStatement", "If"}:
            return True
        targets = [re.match(r"[^=;{}]+(?= = )", self.of(each)) for each in both]
        return all(targets) and not any(found[0] in self.of(other) for found, other in zip(targets, reversed(both)))

    def named(self):
        """The mutants with their keys; of equal ones in equal lines the later ones are numbered."""
        made, seen = [], Counter()
        for (start, end, new), function in sorted(self.found.items()):
            line = self.text[self.text.rfind("\n", 0, start) + 1:].split("\n", 1)[0]
            old = self.text[start:end]
            key = " ".join(f"{self.file} | {line} | {old} -> {new if new not in ('', ';', 'pass') else 'nothing'}".split())
            seen[key] += 1
            made.append(Mutant(str(self.file), start, end, new, key if seen[key] == 1 else f"{key} #{seen[key]}", function))
        return made


def mutants_of(file, name):
    """The mutants of a file, in its order; `name` stands in their keys."""
    return Finder(name, file.read_text()).named()
