// Tables that people drop or paste: columns of numbers and a column of labels.

export interface Sheet {
  names: string[];
  rows: string[][];
}

/** Read a table; commas, semicolons or tabs, with or without a line of names, quotes allowed. */
export function parse(text: string): Sheet {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length < 2) throw new Error("The table needs two rows or more.");
  const mark = ["\t", ";", ","].reduce((best, one) =>
    lines[0].split(one).length > lines[0].split(best).length ? one : best, ",");
  const cells = lines.map((line) => split(line, mark));
  const width = cells[0].length;
  const odd = cells.findIndex((row) => row.length !== width);
  if (odd >= 0) throw new Error(`Line ${odd + 1} has ${cells[odd].length} cells, the first ${width}.`);
  if (width < 3) throw new Error("The table needs two columns of numbers and one of labels.");
  const named = !cells[0].some(isNumber) && cells.slice(1).some((row) => row.some(isNumber));
  return {
    names: named ? cells[0] : cells[0].map((_, n) => `column ${n + 1}`),
    rows: named ? cells.slice(1) : cells,
  };
}

function split(line: string, mark: string): string[] {
  const out: string[] = [];
  let cell = "";
  let quoted = false;
  for (let n = 0; n < line.length; n++) {
    const letter = line[n];
    if (quoted && letter === '"' && line[n + 1] === '"') cell += line[++n];
    else if (letter === '"') quoted = !quoted;
    else if (letter === mark && !quoted) {
      out.push(cell.trim());
      cell = "";
    } else cell += letter;
  }
  return [...out, cell.trim()];
}

export function isNumber(cell: string): boolean {
  return cell !== "" && Number.isFinite(Number(cell));
}

/** Columns that hold numbers only. */
export function numeric(sheet: Sheet): number[] {
  return sheet.names.map((_, n) => n).filter((n) => sheet.rows.every((row) => isNumber(row[n])));
}

/** The two directions in which standardised columns vary most; coordinates of each row. */
export function principal(columns: number[][]): number[][] {
  const d = columns.length;
  const n = columns[0].length;
  const scaled = columns.map((column) => {
    const mean = column.reduce((a, b) => a + b, 0) / n;
    const deviation = Math.sqrt(column.reduce((a, b) => a + (b - mean) ** 2, 0) / n) || 1;
    return column.map((v) => (v - mean) / deviation);
  });
  const matrix = scaled.map((a) => scaled.map((b) => a.reduce((s, v, i) => s + v * b[i], 0) / n));
  const axes: number[][] = [];
  for (let axis = 0; axis < 2; axis++) {
    let v = Array.from({ length: d }, (_, j) => 1 + 0.1 * ((j + axis) % 7));
    for (let round = 0; round < 500; round++) {
      let next = matrix.map((row) => row.reduce((s, m, j) => s + m * v[j], 0));
      for (const other of axes) {
        const along = next.reduce((s, m, j) => s + m * other[j], 0);
        next = next.map((m, j) => m - along * other[j]);
      }
      const length = Math.hypot(...next);
      if (length < 1e-12) break;
      v = next.map((m) => m / length);
    }
    axes.push(v);
  }
  return Array.from({ length: n }, (_, i) =>
    axes.map((axis) => axis.reduce((s, a, j) => s + a * scaled[j][i], 0)));
}
