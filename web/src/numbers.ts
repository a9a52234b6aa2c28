// Numbers as people read them.

/** A few significant figures, a true minus, no exponent where none is needed. */
export function num(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-13) return "0"; // rounding
  const size = Math.abs(value);
  let text: string;
  if (Number.isInteger(value) && size < 1e9) text = size.toLocaleString("en-US");
  else if (size >= 1e6 || size < 1e-4) text = size.toExponential(digits - 1).replace("e+", "e");
  else if (size >= 1000) text = Math.round(size).toLocaleString("en-US");
  else text = String(Number(size.toPrecision(digits)));
  return value < 0 ? `−${text}` : text;
}

export function signed(value: number, digits = 3): string {
  return value > 0 ? `+${num(value, digits)}` : num(value, digits);
}

export function percent(fraction: number): string {
  const share = 100 * fraction;
  return `${share >= 10 || share === 0 ? share.toFixed(share === 0 ? 0 : 1) : share.toPrecision(2)} %`;
}

/** The same for KaTeX. */
export function tex(value: number, digits = 3): string {
  return num(value, digits).replace("−", "-").replace(/,/g, "{,}").replace(/e(-?\d+)/, "\\cdot 10^{$1}");
}

/** A number of things. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${num(count)} ${count === 1 ? one : many}`;
}
