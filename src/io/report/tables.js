// The parts of the page that are text: what was solved, how, and what came out.

function card(id, title, ...children) {
    return el("section", { class: "card", id }, el("h2", {}, title), ...children);
}

function table(headings, lines, className = "") {
    return el("div", { class: `scroll ${className}`, tabindex: "0" },
        el("table", {}, headings && el("thead", {}, el("tr", {}, headings.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, lines)));
}

function leftOut(list, noun) {
    return list.left_out > 0 ? el("p", { class: "hint" }, `… and ${grouped(list.left_out)} more ${noun}, left out of this page.`) : null;
}

const classWords = {
    explicit: "explicit system", semi_explicit: "semi-explicit system", invariants: "explicit system with invariants", holonomic: "holonomic system",
    hamiltonian: "Hamiltonian system", lie: "system on a Lie group", general: "general system",
};

function header() {
    const s = report.system, status = report.status;
    const chips = [
        classWords[s.class] || s.class, `order ${s.order}`, `index ${s.index}`, plural(s.unknowns, "unknown"), plural(s.equations, "equation"),
        s.degrees_of_freedom === 1 ? "1 degree of freedom" : `${grouped(s.degrees_of_freedom)} degrees of freedom`,
        s.hidden_constraints === 0 ? "no hidden constraints" : plural(s.hidden_constraints, "hidden constraint"),
        s.invariants > 0 ? plural(s.invariants, "invariant") : null,
    ].filter(Boolean);
    const next = { auto: "dark", dark: "light", light: "auto" };
    const theme = button("", "Light or dark", () => setTheme(next[document.documentElement.dataset.theme || "auto"]));
    theme.id = "theme";
    return el("header", {},
        el("div", { class: "top" },
            el("h1", {}, report.model.name, report.model.title && el("small", {}, report.model.title)), theme),
        el("p", { class: `status ${status}`, id: "status", "data-status": status, role: status === "success" ? null : "alert" },
            el("b", {}, status === "success" ? "✓ success" : status === "failed" ? "✗ failed" : "‖ interrupted"), report.message),
        el("p", { class: "chips" }, chips.map((chip) => el("span", {}, chip))),
        tiles());
}

function tiles() {
    const st = report.stats, m = report.method;
    const hasConstraints = report.constraint_residual_absolute > 0 || report.system.hidden_constraints > 0 || report.system.index > 0;
    const list = [
        ["method", m.name, m.step > 0 ? `step ${short(m.step)}` : `rtol ${short(m.rtol, 3)}, atol ${short(m.atol, 3)}`],
        ["steps", grouped(st.steps), st.rejected ? `${grouped(st.rejected)} rejected` : "none rejected"],
        hasConstraints ? ["constraints", short(report.constraint_residual_max, 2), "largest residual, relative"] : null,
        report.system.invariants > 0 ? ["invariants", short(report.invariant_drift_max, 2), "largest change"] : null,
        ["time", seconds(st.seconds.total), `${seconds(st.seconds.integrate)} for the steps`],
        ["points", grouped(report.points.all_points), rows.n ? `${report.independent} = ${short(rows.t[0], 4)} … ${short(rows.t[rows.n - 1], 4)}` : ""],
    ].filter(Boolean);
    return el("div", { class: "tiles" }, list.map(([name, value, note]) => el("div", { "data-tile": name }, el("span", {}, name), el("b", {}, value), el("small", {}, note))));
}

function notes() {
    const left = [];
    const p = report.points;
    if (p.points < p.all_points) left.push(`${grouped(p.points)} of ${grouped(p.all_points)} points are in this page, chosen so that peaks of the main unknowns stay; --out FILE.csv writes all.`);
    if (p.columns.length < p.all_columns) left.push(`${grouped(p.columns.length)} of ${grouped(p.all_columns)} quantities are in this page, spread evenly; --out FILE.csv writes all.`);
    const { choice } = report.method; // worth a note where something else than the usual was taken
    if (choice && (choice.includes(";") || !choice.includes("not stiff"))) left.push(`Method: ${choice}.`);
    const all = [...report.notes, ...left];
    return all.length ? card("notes", "Notes", el("ul", { class: "notes" }, all.map((note) => el("li", {}, note)))) : null;
}

function equationLine(kind, entry, className = "") {
    return el("tr", { class: className },
        el("td", { class: "kind" }, kind),
        el("td", {}, el("div", { class: "formula-line" }, formula(entry.text)),
            entry.domain && el("span", { class: "faint" }, "for ", formula(entry.domain), entry.count > 1 ? `  (${plural(entry.count, "equation")})` : ""),
            entry.origin && el("span", { class: "faint" }, origin(entry.origin))));
}

// "the derivative of x^2 + y^2 = l^2", with its formula set as such.
function origin(text) {
    const parts = text.match(/^((?:the (?:second )?derivative|derivative \d+) of )(.*)$/s);
    return parts ? [parts[1], formula(parts[2])] : text;
}

function equations() {
    const e = report.equations;
    const lines = [];
    if (e.lagrangian) lines.push(equationLine("Lagrangian", { text: e.lagrangian }));
    if (e.hamiltonian) lines.push(equationLine("Hamiltonian", { text: e.hamiltonian }));
    const isDerived = Boolean(e.lagrangian || e.hamiltonian);
    const words = { equation: "equation", constraint: "constraint", motion: isDerived ? "motion" : "equation" };
    for (const entry of e.statements.entries) lines.push(equationLine(words[entry.kind] || entry.kind, entry));
    for (const entry of e.invariants.entries) lines.push(equationLine("invariant", entry));
    const hidden = e.constraints.entries.filter((c) => c.hidden);
    const more = report.system.hidden_constraints - hidden.reduce((sum, c) => sum + c.count, 0);
    return card("equations", "Equations",
        table(null, lines, "plain"), leftOut(e.statements, "equations"),
        hidden.length > 0 && el("h3", {}, "Hidden constraints found"),
        hidden.length > 0 && el("p", { class: "hint" }, "What follows from the equations by differentiation, and restricts the start point and the solution."),
        hidden.length > 0 && table(null, hidden.map((c) => equationLine("hidden", c, "hidden-row")), "plain"), leftOut(e.constraints, "constraints"),
        more > 0 && e.constraints.left_out === 0 && !e.problem && el("p", { class: "hint" }, hidden.length > 0
            ? `${grouped(more)} more ${more === 1 ? "contains" : "contain"} the highest derivatives as well: with the equations ${more === 1 ? "it determines" : "they determine"} these, the multipliers and other unknowns without derivatives.`
            : `${plural(more, "hidden constraint")}: derivatives of equations that, with the others, determine the highest derivatives and the unknowns without derivatives.`),
        e.redundant.entries.length > 0 && el("p", {}, "Redundant, they follow from the others: ", e.redundant.entries.map((text, k) => [k ? "; " : "", formula(text)])),
        e.problem && el("p", { class: "hint" }, e.problem));
}

function startPoint() {
    const start = report.equations.start;
    const moved = new Map(start.moved.entries.map((m) => [m.name, m]));
    const violated = start.violated.entries;
    return card("start", "Start point",
        violated.length > 0 && el("p", {}, "The given values did not fit:"),
        violated.length > 0 && el("ul", { class: "notes" }, violated.slice(0, 20).map((v) => el("li", {},
            v.derivative > 0 ? `derivative ${v.derivative} of ` : "", formula(v.equation), ` is off by ${short(v.residual, 3)}`, v.hidden ? " (hidden)" : ""))),
        table(["name", "value", moved.size ? "moved from" : null].filter(Boolean), start.values.entries.map((v) => {
            const m = moved.get(v.name);
            return el("tr", { class: m ? "moved" : "" }, el("td", {}, formula(v.name)), el("td", { class: "number" }, short(v.value, 10)),
                moved.size > 0 && el("td", { class: "number" }, m ? short(m.from, 10) : ""));
        }), "values"), leftOut(start.values, "values"));
}

function finalValues() {
    const last = rows.reported[rows.reported.length - 1];
    if (last === undefined) return null;
    const most = 2000;
    const body = el("tbody", {});
    const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the last values", oninput: () => fill() });
    const fill = () => {
        const wanted = filter.value.trim().toLowerCase();
        const found = columns.filter((c) => c.name.toLowerCase().includes(wanted));
        body.replaceChildren(...found.slice(0, most).map((c) => el("tr", { "data-name": c.name, "data-value": exact(c.at(last)) },
            el("td", {}, formula(c.name)), el("td", { class: "number" }, exact(c.at(last)).replace(/-/g, "−")))),
        ...(found.length > most ? [el("tr", {}, el("td", { colspan: "2", class: "faint" }, `${grouped(found.length - most)} more: filter by name`))] : []));
    };
    fill();
    return card("final", "Last point",
        el("p", {}, `${report.independent} = ${exact(rows.t[last])}`, rows.s.length ? `, s = ${exact(rows.s[last])}` : ""),
        columns.length > 20 && filter,
        el("div", { class: "scroll values", tabindex: "0" }, el("table", {}, body)));
}

function events() {
    const list = report.events;
    if (list.entries.length === 0) return null;
    return card("events", "Events",
        table(["event", report.independent, ""], list.entries.map((event) => el("tr", { "data-name": event.name, "data-t": exact(event.t) },
            el("td", {}, event.name), el("td", { class: "number" }, short(event.t, 12)),
            el("td", {}, button("show", "Put the cursor there", () => setCursor(nearestRow(event.t)))))), "values"),
        leftOut(list, "events"));
}

function namedLines(list) {
    return table(null, list.filter(Boolean).map(([name, value, title]) => el("tr", { title }, el("td", { class: "kind" }, name), el("td", {}, value))), "plain");
}

function method() {
    const m = report.method;
    return card("method", "Method",
        namedLines([
            ["method", `${m.name}, order ${m.order}`], m.choice ? ["choice", m.choice] : null,
            m.step > 0 ? ["step", `${short(m.step)}, constant`] : ["tolerances", `rtol ${short(m.rtol, 3)}, atol ${short(m.atol, 3)}`],
            ["direction", m.distribution], ["projection", m.projection === "none" ? "none" : `${m.projection}, ${m.project}`],
            ["parametrisation", m.parametrisation], ["precision", m.precision], ["manifold", `dimension ${grouped(report.system.manifold_dimension)}`],
        ]),
        report.options.length > 0 && el("h3", {}, "Options that were set"),
        report.options.length > 0 && namedLines(report.options.map((o) => [o.name, o.value, o.help])),
        report.command && el("h3", {}, "Command"),
        report.command && el("pre", { class: "command", tabindex: "0" }, report.command));
}

function statistics() {
    const st = report.stats, sec = st.seconds;
    return card("statistics", "Statistics",
        namedLines([
            ["steps", `${grouped(st.steps)} accepted, ${grouped(st.rejected)} rejected`], ["stages", grouped(st.stages)], ["directions", grouped(st.direction_evaluations)],
            ["Jacobians", grouped(st.jacobian_evaluations)], ["factorisations", grouped(st.factorisations)],
            ["projections", st.projections ? `${grouped(st.projections)}, ${st.newton_mean.toFixed(2)} iterations each, at most ${st.newton_max}` : "0"],
            st.fallbacks ? ["of them orthogonal", grouped(st.fallbacks)] : null, st.stage_iterations ? ["stage iterations", grouped(st.stage_iterations)] : null,
            ["residual", `${short(report.constraint_residual_max, 3)} relative, ${short(report.constraint_residual_absolute, 3)} absolute`],
            report.system.invariants > 0 ? ["invariants", `${short(report.invariant_drift_max, 3)} off at most`] : null,
            ["time", `${seconds(sec.total)} in all, ${seconds(sec.integrate)} for the steps`],
            ["of the steps", `${seconds(sec.distribution)} for directions, ${seconds(sec.projection)} for projections`],
            sec.compile > 0 ? ["native code", `${seconds(sec.compile)} waited for`] : null,
        ]));
}

function modelCard() {
    if (!report.model.text) return null;
    return card("model", "Model", modelText(),
        report.model.text_left_out > 0 && el("p", { class: "hint" }, `The rest, ${grouped(report.model.text_left_out)} bytes, is left out of this page.`));
}

function footer() {
    return el("footer", {}, `Vessiot ${report.version} · ${report.made} · this file needs no network and nothing else beside it`);
}
