// What several scripts need: HTML that this server has rendered.

/** The only place where text becomes elements. */
const policy = window.trustedTypes?.createPolicy('rendered-rows', { createHTML: (html) => html })

/** Parses HTML that this server has rendered. */
export function parseRendered(html) {
  const template = document.createElement('template')
  template.innerHTML = policy?.createHTML(html) ?? html
  return template.content
}
