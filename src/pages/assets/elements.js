// What several scripts need: elements with content, and HTML that this server has rendered.

/** Makes an element with texts and other elements in it. */
export function make(name, attributes, ...content) {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...content)
  return element
}

/** The only place where text becomes elements. */
const policy = window.trustedTypes?.createPolicy('rendered-rows', { createHTML: (html) => html })

/** Parses HTML that this server has rendered. */
export function parseRendered(html) {
  const template = document.createElement('template')
  template.innerHTML = policy?.createHTML(html) ?? html
  return template.content
}
