/** Makes an SVG document of this size in pixels on a white background, with its title at `titleX`. */
export function svgDocument(
  title: string,
  size: { width: number; height: number; titleX: number },
  elements: string[],
): string {
  const { width, height, titleX } = size
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${titleX}" y="18" font-weight="bold">${title}</text>`,
    ...elements,
    '</svg>\n',
  ].join('\n')
}
