// Tables that people drop or paste: columns of numbers and a column of labels.

import type { Limits } from "./schema";

export interface Sheet {
  names: string[];
  rows: string[][];
  lines: number[]; // of the rows in the text
}

/** Read a table; commas, semicolons or tabs, with or without a line of names, quotes allowed. */
export function parse(text: string): Sheet {
  const filled = text.split(/\r?\n/).map((line, n) => ({ line, number: n + 1 })).filter(({ line }) => line.trim() !== "");
  if (filled.length < 2) throw new Error("The table needs two rows or more.");
  const mark = ["\t", ";", ","].reduce((best, one) =>
    filled[0].line.split(one).length > filled[0].line.split(best).length ? one : best, ",");
  const cells = filled.map(({ line }) => split(line, mark));
  const width = cells[0].length;
  const odd = cells.findIndex((row) => row.length !== width);
  if (odd >= 0) throw new Error(`Line ${filled[odd].number} has ${cells[odd].length} cells, the first ${width}.`);
  if (width < 3) throw new Error("The table needs two columns of numbers and one of labels.");
  const written = (cell: string) => isNumber(cell) || COMMA.test(cell) || GROUPED.test(cell);
  const named = !cells[0].some(written) && cells.slice(1).some((row) => row.some(written));
  const names = named ? cells[0].map((name, n) => name || `column ${n + 1}`) : cells[0].map((_, n) => `column ${n + 1}`);
  const first = named ? 1 : 0;
  const lines = filled.slice(first).map(({ number }) => number);
  return { names, rows: withPoints(names, cells.slice(first), lines), lines };
}

const COMMA = /^[+-]?\d+,\d+(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}(?:([,. '\u00a0])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/;

/** The cells with numbers as JavaScript reads them: decimal commas and marks of thousands are gone. */
function withPoints(names: string[], rows: string[][], lines: number[]): string[][] {
  const plain = names.map((name, n) => {
    const column = rows.map((row) => row[n]);
    const commas = column.filter((cell) => COMMA.test(cell));
    if (commas.length === 0) return ungrouped;
    if (commas.every((cell) => GROUPED.test(cell)) && !column.some((cell) => cell.includes("."))) {
      const at = column.indexOf(commas[0]);
      throw new Error(`Line ${lines[at]}: '${name}' is ${commas[0]}, a decimal comma or thousands; write ${commas[0].replace(",", ".")} or ${commas[0].replace(",", "")}.`);
    }
    return commas.every((cell) => GROUPED.test(cell)) ? ungrouped : (cell: string) => ungrouped(cell.replace(COMMA, (whole) => whole.replace(",", ".")));
  });
  return rows.map((row) => row.map((cell, n) => plain[n](cell)));
}

/** A number without marks of thousands; any other cell as it is. */
function ungrouped(cell: string): string {
  const mark = isNumber(cell) ? undefined : cell.match(GROUPED)?.[1];
  return mark === undefined ? cell : cell.replaceAll(mark, "").replace(",", ".");
}

/** The column of labels: the only one that is not of numbers, otherwise the last. */
export function labelColumn(sheet: Sheet): number {
  const able = numeric(sheet);
  const others = sheet.names.map((_, n) => n).filter((n) => !able.includes(n));
  return others.length === 1 ? others[0] : sheet.names.length - 1;
}

/** What is wrong with the first cell that keeps a column from being shown, and what to do; null if none does. */
export function complaint(sheet: Sheet, column: number, { largest }: Limits): string | null {
  const name = sheet.names[column];
  for (const [n, row] of sheet.rows.entries()) {
    const where = `Line ${sheet.lines[n]}: '${name}'`;
    if (row[column] === "") return `${where} is empty; fill it in, or delete the row.`;
    if (!isNumber(row[column])) return `${where} is "${row[column]}", not a number; mend it, or delete the row.`;
    if (Math.abs(Number(row[column])) > largest) return `${where} is ${row[column]}; the lab takes numbers up to ${largest.toLocaleString("en-US")}: divide the column by a power of ten.`;
  }
  return null;
}

/** The most promising two columns beside the labels: those with the most numbers. */
export function promising(sheet: Sheet, labels: number): number[] {
  const count = (n: number) => sheet.rows.filter((row) => isNumber(row[n])).length;
  const columns = sheet.names.map((_, n) => n).filter((n) => n !== labels);
  return columns.toSorted((a, b) => count(b) - count(a) || a - b).slice(0, 2).toSorted((a, b) => a - b);
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
