// Sorts a table by the column whose heading is pressed. Cells that are no numbers carry no data-v, and refused runs
// have none in that column: they go last.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const table = heading.closest("table");
    const column = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    const numeric = !heading.classList.contains("w");
    const key = (row) => numeric ? Number(row.cells[column]?.dataset.v ?? NaN) : row.cells[column]?.textContent ?? "";
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (!numeric) return sign * x.localeCompare(y, undefined, { numeric: true });
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sign * (x - y);
    });
    body.append(...rows);
  });
}
