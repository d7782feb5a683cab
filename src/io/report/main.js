// Puts the page together, and keeps what is chosen in its address: a link shows the same view again.
//
//   #show=x,y    quantities over the independent variable     #at=0.5        the cursor
//   #zoom=0,1,-2,2   the view, as far as it is not all of it  #log=x, y, xy  logarithmic axes
//   #axes=x,y;u,v    curves against each other                #theme=dark    light or dark

let page = null;

function setTheme(theme) {
    const root = document.documentElement;
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    document.getElementById("theme").textContent = { auto: "◐ auto", dark: "● dark", light: "○ light" }[theme];
    repaint();
    viewChanged();
}

function repaint() {
    themeColors.clear();
    if (!page) return;
    page.series.update();
    page.trajectory.setCurves(page.trajectory.curves);
    page.run.repaint();
    page.fields?.map.plan();
}

// At once, not with the next frame.
function drawAll() {
    for (const chart of [page.series.chart, page.trajectory.active(), ...page.run.panels.map((p) => p.chart), ...(page.fields ? [page.fields.map] : [])]) chart.drawNow();
}

// Paper is white, whatever the screen is.
function printLight() {
    let before;
    const root = document.documentElement;
    window.addEventListener("beforeprint", () => {
        before = root.dataset.theme;
        root.dataset.theme = "light";
        repaint();
        drawAll();
    });
    window.addEventListener("afterprint", () => {
        if (before) root.dataset.theme = before;
        else delete root.dataset.theme;
        repaint();
    });
}

const escapedList = (names) => names.map(encodeURIComponent).join(",");

function fragment() {
    const parts = [];
    const { series, trajectory } = page;
    const names = (list) => escapedList(list.map((c) => c.name));
    if (names(series.chosen) !== names(defaultColumns())) parts.push(`show=${names(series.chosen)}`);
    if (cursorRow !== null) parts.push(`at=${exact(rows.t[cursorRow])}`);
    const { logX, logY, view } = series.chart;
    if (logX !== isLogarithmicTime() || logY) parts.push(`log=${logX ? "x" : ""}${logY ? "y" : ""}`);
    if (view) parts.push(`zoom=${view.map((v, k) => exact((k < 2 ? logX : logY) ? 10 ** v : v)).join(",")}`);
    const curves = (list) => list.map(escapedList).join(";");
    if (curves(trajectory.curves) !== curves(defaultCurves().curves) && trajectory.curves.length <= 20) parts.push(`axes=${curves(trajectory.curves)}`);
    if (document.documentElement.dataset.theme) parts.push(`theme=${document.documentElement.dataset.theme}`);
    return parts.join("&");
}

let isReading = false, isWritePlanned = false;

// After a while, so that dragging does not write the address many times a second.
function viewChanged() {
    if (!page || isReading || isWritePlanned) return;
    isWritePlanned = true;
    setTimeout(() => {
        isWritePlanned = false;
        try {
            const text = fragment();
            history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
        } catch {
            // some browsers allow no change of the address of a file; nothing is lost but the link
        }
    }, 250);
}

function readFragment() {
    const { series, trajectory } = page;
    const words = new Map(location.hash.slice(1).split("&").filter(Boolean).map((part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]));
    const list = (text) => text.split(",").filter(Boolean).map(decodeURIComponent);
    isReading = true;
    try {
        setTheme(["dark", "light"].includes(words.get("theme")) ? words.get("theme") : "auto");
        series.chosen = words.has("show") ? list(words.get("show")).map((name) => columnByName.get(name)).filter(Boolean) : defaultColumns();
        const log = words.get("log");
        series.setLog(log === undefined ? isLogarithmicTime() : log.includes("x"), log !== undefined && log.includes("y"));
        series.chooser.update();
        const zoom = words.has("zoom") ? words.get("zoom").split(",").map(Number) : null;
        const all = series.chart.full();
        series.chart.view = null;
        if (zoom) series.chart.setView([0, 1, 2, 3].map((k) => (zoom.length > k ? ((k < 2 ? series.chart.logX : series.chart.logY) ? Math.log10(zoom[k]) : zoom[k]) : all[k])));
        const curves = words.has("axes") ? words.get("axes").split(";").map(list) : defaultCurves().curves;
        const isSound = (curve) => (curve.length === 2 || curve.length === 3) && curve.every(findColumn);
        trajectory.plane.view = null;
        trajectory.setCurves(curves.filter(isSound));
        const at = Number(words.get("at"));
        cursorRow = null;
        if (words.has("at") && Number.isFinite(at) && rows.n) cursorRow = snapped(nearestRow(at));
        for (const listener of cursorListeners) listener();
    } catch (error) {
        if (!(error instanceof URIError)) throw error; // an address that was cut
    } finally {
        isReading = false;
    }
}

function start() {
    document.title = `${report.model.name} · Vessiot`;
    const series = new Series(), trajectory = new Trajectory(), run = new RunPanels();
    const hasValues = rows.n > 0 && columns.length > 0;
    const fieldCard = hasValues && fields.length > 0 ? new Fields() : null;
    page = { series, trajectory, run, fields: fieldCard };
    document.body.append(header(), el("main", {},
        hasValues ? series.element : card("empty", "No points", el("p", {}, "The run gave no points to show.")),
        hasValues && trajectory.curves.length > 0 ? trajectory.element : null,
        fieldCard && fieldCard.element,
        run.element, notes(), equations(), startPoint(), finalValues(), events(), method(), statistics(), modelCard()), footer());
    readFragment();
    window.addEventListener("hashchange", readFragment);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    printLight();
    cursorListeners.push(viewChanged);
    drawAll();
    document.documentElement.dataset.ready = "yes";
}

start();
