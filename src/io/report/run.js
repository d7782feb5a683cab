// How the run went: the residual of the constraints and the step sizes, the steps that were tried again.

function tracePanel(id, label, trace, isLog, options) {
    const t = numbersOf(trace.t), values = numbersOf(trace.values);
    const kept = [...values.keys()].filter((k) => values[k] > 0);
    if (kept.length < 2) return null;
    const host = el("div", { class: "plot", id });
    const chart = new Chart(host, { label, xLabel: report.independent, yLabel: label, logX: isLog, logY: true, ...options });
    chart.setLines([{ name: label, color: paletteColor(options.color), x: kept.map((k) => t[k]), y: kept.map((k) => values[k]), isPoints: options.isPoints || kept.length <= 2 }]);
    return { host, chart };
}

class RunPanels {
    constructor() {
        const isLog = isLogarithmicTime();
        const arclength = rows.s.length > 0;
        const setByTime = (line, k) => setCursor(nearestRow(line.x[k]));
        this.panels = [
            tracePanel("residual", "constraint residual", report.trace.residual, isLog, { color: 3, isPoints: true, onPoint: arclength ? null : setByTime }),
            report.method.step > 0 ? null : tracePanel("step", arclength ? "step of arclength" : "step size", report.trace.step, isLog, { color: 2, onPoint: arclength ? null : setByTime }),
        ].filter(Boolean);
        if (!arclength)
            cursorListeners.push(() => {
                for (const { chart } of this.panels) {
                    chart.cursor = cursorRow === null ? null : { x: rows.t[cursorRow] };
                    chart.plan();
                }
            });
        this.element = el("section", { class: "card", id: "run" },
            el("h2", {}, "The run"),
            this.panels.length > 0 && el("div", { class: "pair" }, this.panels.map((p) => p.host)),
            this.panels.length === 0 && el("p", { class: "faint" }, "There is nothing to draw: no steps, or no constraints and constant steps."),
            this.rejections(),
            report.trace.steps > 4000 && el("p", { class: "hint" }, `${grouped(report.trace.steps)} steps, thinned out so that no peak is lost.`));
    }
    repaint() {
        this.panels.forEach(({ chart }) => {
            chart.lines[0].color = paletteColor(chart.host.id === "residual" ? 3 : 2);
            chart.plan();
        });
    }
    // Steps by what became of them.
    rejections() {
        const s = report.stats, all = s.steps + s.rejected;
        if (all === 0) return null;
        const parts = [
            ["accepted", s.steps, 2], ["rejected by error", s.rejected_error, 1], ["by projection", s.rejected_projection, 3],
            ["by direction", s.rejected_direction, 4], ["by iteration", s.rejected_iteration, 5],
        ].filter(([, n]) => n > 0);
        const text = parts.map(([name, n]) => `${grouped(n)} ${name}`).join(", ");
        return el("div", { class: "steps" },
            el("div", { class: "stack", role: "img", "aria-label": `Steps: ${text}` },
                parts.map(([name, n, color]) => el("span", { style: `flex: ${n} 0 4px; background: var(--line-${color})`, title: `${grouped(n)} ${name}` }))),
            el("p", { class: "legend" }, parts.map(([name, n, color]) => el("span", { class: "value" }, el("span", { class: "swatch", style: `background: var(--line-${color})` }), `${grouped(n)} ${name}`))));
    }
}
