// Pictures to keep: the plane as SVG or PNG, with its colours inside it.

// As attributes, not as a style: the page's policy forbids styles that come as text.
const KEPT = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family",
  "font-size", "font-style", "font-weight", "paint-order",
];

export function svgText(plane: SVGSVGElement): string {
  const copy = plane.cloneNode(true) as SVGSVGElement;
  const from = [plane, ...plane.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, n) => {
    const style = getComputedStyle(element);
    to[n].removeAttribute("class");
    to[n].removeAttribute("style");
    for (const name of KEPT) to[n].setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", "600");
  copy.setAttribute("height", "600");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "600");
  ground.setAttribute("height", "600");
  ground.setAttribute("fill", getComputedStyle(plane).backgroundColor);
  copy.insertBefore(ground, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

export async function png(plane: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgText(plane)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1200;
    canvas.getContext("2d")!.drawImage(image, 0, 0, 1200, 1200);
    return await new Promise((done, fail) =>
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("No picture came out."))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function download(name: string, content: Blob | string, kind = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: kind }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
