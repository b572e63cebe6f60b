// The element <settle-box>. Types and comments for callers: settle.box.d.ts.
import { observe } from "./settle.lazy.js";

export class SettleEvent extends Event {
    constructor(type, size, { reason, generation } = {}) {
        super(type);
        Object.assign(this, { size, signal: size.signal, prepared: size.prepared, reason, generation });
    }
    #work = [];
    waitUntil = (promise) => void this.#work.push(promise);
    get _done() {
        return this.#work.length ? Promise.all(this.#work) : undefined;
    }
}

export class SettleBox extends HTMLElement {
    static observedAttributes = ["policy"];
    #observation;
    constructor() {
        super();
        this.attachShadow({ mode: "open" }).innerHTML = `<style>
            :host { display: block; position: relative }
            ::slotted(canvas) { position: absolute; inset: 0; width: 100%; height: 100% }
        </style><slot></slot>`;
    }
    get policy() {
        const text = this.getAttribute("policy") ?? undefined;
        return text?.trim().startsWith("{") ? JSON.parse(text) : text;
    }
    set policy(policy) {
        this.setAttribute("policy", typeof policy === "string" ? policy : JSON.stringify(policy));
    }
    // An element that leaves the document is let go, and observed as before when it comes back.
    connectedCallback() {
        if (this.#observation) return;
        const call = (type) => (size, build) => {
            const event = new SettleEvent(type, size, build);
            this.dispatchEvent(event);
            return event._done;
        };
        this.#observation = observe(this, {
            policy: this.policy, name: this.getAttribute("name") ?? undefined, onRebuild: call("rebuild"), onPreview: call("preview"),
            ...(this.hasAttribute("prepares") && { onPrepare: (size) => call("prepare")(size)?.then(([prepared]) => prepared) }),
        });
    }
    attributeChangedCallback() {
        this.#observation?.setPolicy(this.policy);
    }
    flush() {
        this.#observation?.flush();
    }
    resizing(isResizing) {
        this.#observation?.resizing(isResizing);
    }
}

customElements.define("settle-box", SettleBox);
