// A click on a title of a sortable table sorts by its column; without scripts the table stays as it is, worst first.
const figure = (row, column) => {
  const cell = row.children[column];
  return cell.dataset.value === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.value);
};

const sort = (table, column, ascending) => {
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [figure(a, column), figure(b, column)];
    return (x < y ? -1 : x > y ? 1 : 0) * (ascending ? 1 : -1);
  });
  body.append(...rows);
};

for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const ascending = title.getAttribute("aria-sort") !== "ascending";
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sort(table, column, ascending);
    });
  });
}
