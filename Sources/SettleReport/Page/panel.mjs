// The policy's sliders, its presets, and the policy as text to copy.

import { byId, copied, element } from "./dom.mjs";
import { count } from "./format.mjs";
import { changed, differences, fields, forms, same, valueText } from "./policy.mjs";

/** A field's value in milliseconds or percent, and back. */
const shownValue = (field, value) => Number(value) / field.unit;
const readValue = (field, text) => BigInt(Math.round(Math.max(0, Math.min(Number(text) || 0, 2e12)) * field.unit));
const unitOf = (field) => (field.isPercentage ? "%" : "ms");

export class PolicyPanel {
  /** `presets` are policies by name, `change` is called with a policy that was chosen. */
  constructor(presets, report, change) {
    Object.assign(this, { presets, report, change, policy: report, rows: new Map() });
    byId("policy").append(...fields.map((field) => this.row(field)));
    byId("policy").addEventListener("submit", (event) => event.preventDefault());
    const choices = [["Default", presets.default], ["Prepared", presets.prepared], ["Live", presets.live], ["UIKit", presets.uikit], ["Report’s", report]];
    this.choices = choices.map(([text, policy]) => [element("button", { type: "button", text, click: () => change(policy) }), policy]);
    byId("presets").append(...this.choices.map(([button]) => button));
    this.text = new PolicyText(presets);
  }

  row(field) {
    const id = `policy-${field.name}`;
    const number = element("input", { type: "number", id: `${id}-number`, min: 0, step: "any", "aria-label": `${field.label}, in ${unitOf(field)}`,
      change: () => this.typed(field, number.value) });
    const slider = element("input", { type: "range", id, name: field.name, min: field.isPercentage ? 1 : 0, max: field.most, step: field.step,
      input: () => this.set(field, readValue(field, slider.value)) });
    const said = element("p", { class: "said", role: "status" });
    const toggle = !field.canBeNone ? null : element("input", { type: "checkbox", id: `${id}-on`, change: () => {
      this.set(field, toggle.checked ? this.rows.get(field.name).last ?? readValue(field, field.start) : null);
    } });
    const box = element("div", { class: "field", title: field.meaning },
      element("label", { for: id }, element("b", { text: field.label }), " ", element("span", { text: field.name })),
      element("div", { class: "value" },
        toggle && element("label", {}, toggle, element("span", { text: "on" })), number, element("span", { text: unitOf(field) })), slider, said);
    this.rows.set(field.name, { box, said, number, slider, toggle, last: null });
    return box;
  }

  set(field, ns) {
    for (const row of this.rows.values()) row.said.textContent = "";
    this.change(changed(this.policy, field.name, ns));
  }

  /** Takes the text of a number field, and says what became of a number that is out of range. */
  typed(field, text) {
    const row = this.rows.get(field.name), wanted = Number(text);
    if (text.trim() === "" || !Number.isFinite(wanted)) {
      row.number.value = shownValue(field, this.policy[field.name]);
      return void (row.said.textContent = `That is no number; it is still ${valueText(field.name, this.policy[field.name])}.`);
    }
    this.set(field, readValue(field, text));
    const got = shownValue(field, this.policy[field.name]), unit = unitOf(field), least = shownValue(field, field.range[0]);
    if (wanted < least) row.said.textContent = `${text} ${unit} is out of range; the least is ${least} ${unit}.`;
    else if (got < wanted * (1 - 1e-9) - 1e-6) row.said.textContent = `${text} ${unit} is out of range; the most is ${count(got)} ${unit}.`;
  }

  /** Shows a policy. */
  show(policy) {
    this.policy = policy;
    const unlike = new Set(differences(policy, this.report).map(({ name }) => name));
    for (const field of fields) {
      const { name } = field;
      const row = this.rows.get(name), ns = policy[name];
      row.box.classList.toggle("off", ns === null);
      row.box.classList.toggle("changed", unlike.has(name));
      row.number.disabled = row.slider.disabled = ns === null;
      if (row.toggle) row.toggle.checked = ns !== null;
      row.slider.setAttribute("aria-valuetext", valueText(name, ns));
      if (ns === null) {
        row.number.value = "";
        continue;
      }
      row.last = ns;
      const value = shownValue(field, ns);
      if (row.slider.value !== String(value)) row.slider.value = value;
      if (document.activeElement !== row.number || readValue(field, row.number.value) !== ns) row.number.value = value;
    }
    // The report's policy may be a preset: then that one is marked.
    const current = this.choices.find(([, preset]) => same(policy, preset));
    for (const choice of this.choices) choice[0].setAttribute("aria-pressed", String(choice === current));
    this.text.show(policy);
  }
}

/** A policy as text to copy, in the form that is chosen. */
export class PolicyText {
  constructor(presets) {
    Object.assign(this, { presets, form: "Swift" });
    this.forms = Object.keys(forms).map((name) => element("button", { type: "button", text: name, click: () => {
      this.form = name;
      this.show(this.policy);
    } }));
    byId("forms").append(...this.forms);
    byId("copy").addEventListener("click", () => this.copy());
  }

  show(policy) {
    this.policy = policy;
    byId("copy-text").textContent = forms[this.form](this.policy, this.presets);
    for (const button of this.forms) button.setAttribute("aria-pressed", String(button.textContent === this.form));
    byId("copy").textContent = "Copy";
  }

  async copy() {
    const isCopied = await copied(byId("copy-text"));
    byId("copy").textContent = isCopied ? "Copied" : "Selected: copy it with Ctrl C";
  }
}
