/** One sample in Prometheus' text format. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const LINE = /^([a-z_A-Z:][\w:]*)(?:\{(.*)\})? (\S+)$/

/** The samples at an address. */
export async function readSamples(url: string): Promise<Sample[]> {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parse)
}

/** The type of each metric at an address, by its name. */
export async function readTypes(url: string): Promise<Record<string, string>> {
  const text = await (await fetch(url)).text()
  return Object.fromEntries([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
}

/** The only value with this name and these labels, perhaps among other labels; 0 if there is none. */
export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${name} has ${found.length} values`)
  return found[0]?.value ?? 0
}

function parse(line: string): Sample {
  const [, name, labels = '', value] = LINE.exec(line) ?? []
  if (name === undefined) throw new Error(`this is no value: ${line}`)
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label!, text!])
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
}
