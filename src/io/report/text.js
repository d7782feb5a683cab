// Elements, numbers, formulas and the text of a model.

// el("p", {class: "note"}, "text", child, …); handlers are functions under their event's name: {onclick: …}
function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element[name] = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

// For people: a few digits. "1.5e−7", "12 345"
function short(x, digits = 6) {
    if (x === null || Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
    if (x === 0) return "0";
    const size = Math.abs(x);
    let text;
    if (size >= 1e6 || size < 1e-4) {
        const [mantissa, power] = x.toExponential(digits - 1).split("e");
        text = `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${power.replace("+", "")}`;
    } else {
        text = x.toPrecision(digits);
        if (text.includes("e")) text = String(Number(text));
        if (text.includes(".")) text = text.replace(/\.?0+$/, "");
    }
    return text.replace(/-/g, "−");
}

// For programs: reads back as the same number.
function exact(x) {
    return x === null || Number.isNaN(x) ? "nan" : x === Infinity ? "inf" : x === -Infinity ? "-inf" : Object.is(x, -0) ? "-0" : String(x);
}

function grouped(n) {
    return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function plural(n, noun) {
    return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}

function seconds(s) {
    return s < 1e-3 ? `${(1e6 * s).toFixed(0)} µs` : s < 1 ? `${short(1e3 * s, 3)} ms` : `${short(s, 3)} s`;
}

const greek = {
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι", kappa: "κ", lambda: "λ",
    mu: "μ", nu: "ν", xi: "ξ", omicron: "ο", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", upsilon: "υ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω",
    Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ", Upsilon: "Υ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
};

const tokenPattern = /([A-Za-zͰ-Ͽ_][\wͰ-Ͽ]*)|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|('+)|(\.\.|<=|>=|==|!=|\s+|.)/gsu;

// A name in italics, with its Greek letter; digits at its end stand below: y1, theta2.
function nameElement(word) {
    if (uprightWords.has(word)) return el("span", { class: "fn" }, word);
    const parts = word.match(/^(.*?[^\d_])_?(\d+)$/);
    const stem = parts ? parts[1] : word;
    return el("i", {}, greek[stem] || stem, parts && el("sub", {}, parts[2]));
}

const uprightWords = new Set([...report.model.functions, "and", "or", "not", "for", "in"]);

// A formula of the model as it stands in a textbook: powers raised, indices lowered, products without a sign.
function formula(text) {
    const tokens = [...text.matchAll(tokenPattern)].map((m) => ({ text: m[0], kind: m[1] ? "name" : m[2] ? "number" : m[3] ? "primes" : "sign" }));
    let at = 0;
    const closing = (open, close) => { // the place behind the bracket that closes the one at `at`
        let depth = 0;
        for (let k = at; k < tokens.length; ++k) {
            if (tokens[k].text === open) ++depth;
            if (tokens[k].text === close && --depth === 0) return k + 1;
        }
        return tokens.length;
    };
    const until = (end) => {
        const parts = [];
        while (at < end) parts.push(piece());
        return parts;
    };
    const piece = () => {
        const token = tokens[at];
        if (token.kind === "name") {
            ++at;
            return nameElement(token.text);
        }
        if (token.kind === "primes") {
            ++at;
            return token.text.length > 3 ? el("sup", {}, `(${token.text.length})`) : "′".repeat(token.text.length);
        }
        if (token.text === "[" && at > 0 && (tokens[at - 1].kind === "name")) {
            const end = closing("[", "]");
            ++at;
            const inside = until(Math.max(at, end - 1));
            at = end;
            return el("sub", {}, inside);
        }
        if (token.text === "^" && at + 1 < tokens.length) {
            ++at;
            if (tokens[at].text === "(") {
                const end = closing("(", ")");
                ++at;
                const inside = until(Math.max(at, end - 1));
                at = end;
                return el("sup", {}, inside);
            }
            const parts = [];
            if (tokens[at].text === "-") parts.push("−"), ++at;
            if (at < tokens.length) parts.push(piece());
            while (at < tokens.length && (tokens[at].kind === "primes" || tokens[at].text === "[")) parts.push(piece());
            return el("sup", {}, parts);
        }
        ++at;
        return { "*": "\u2009", "-": "−", "<=": " ≤ ", ">=": " ≥ ", "!=": " ≠ ", "..": "…" }[token.text] || token.text;
    };
    return el("span", { class: "formula", title: text }, until(tokens.length));
}

// The text of the model, with its words and comments marked.
function modelText() {
    const keywords = new Set(report.model.keywords), functions = new Set(report.model.functions);
    const pattern = /(#[^\n]*)|([A-Za-zͰ-Ͽ_][\wͰ-Ͽ]*)|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([^#\w]+|.)/gsu;
    const code = el("code", {});
    for (const m of report.model.text.matchAll(pattern)) {
        const kind = m[1] ? "comment" : m[2] && keywords.has(m[2]) ? "keyword" : m[2] && functions.has(m[2]) ? "fn" : m[3] ? "number" : null;
        code.append(kind ? el("span", { class: kind }, m[0]) : m[0]);
    }
    return el("pre", { class: "model", tabindex: "0", "aria-label": "Text of the model" }, code);
}

function download(fileName, text, type) {
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: fileName });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Reported points as a table, RFC 4180, numbers that read back exactly.
function csvText(chosen) {
    const quoted = (name) => (/[",\r\n]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
    const hasLength = rows.s.length > 0;
    const lines = [["t", ...(hasLength ? ["s"] : []), ...chosen.map((c) => quoted(c.name))].join(",")];
    rows.reported.forEach((row, place) => {
        const values = chosen.map((c) => exact(c.values[c.isOutput ? place : row]));
        lines.push([exact(rows.t[row]), ...(hasLength ? [exact(rows.s[row])] : []), ...values].join(","));
    });
    return lines.join("\n") + "\n";
}
