/* What is wrong after a load: a kind for programs, and a text for people. */

/** Each kind of finding, and its meaning to a client: lost, doubled, or otherwise wrong. */
const MEANINGS = {
  // Answers
  'internal error': 'wrong',
  'no Retry-After': 'wrong',
  'slow answer': 'wrong',
  'large answer': 'wrong',
  // Calls and the ledger
  'lost call': 'lost',
  'doubled call': 'doubled',
  'refused and applied': 'doubled',
  'failed and applied': 'wrong',
  'other call': 'wrong',
  'refusal without entry': 'lost',
  'refusal with several entries': 'doubled',
  'repeated call': 'doubled',
  'cut off and stored': 'wrong',
  'read and stored': 'wrong',
  'wrong content': 'wrong',
  'wrong counts': 'wrong',
  'wrong time': 'wrong',
  'wrong quota': 'wrong',
  'beyond a limit': 'wrong',
  ledger: 'wrong',
  directory: 'wrong',
  // Read models
  'missing entry': 'lost',
  'doubled entry': 'doubled',
  'wrong entry': 'wrong',
  'read model': 'lost',
  'cannot be folded': 'wrong',
  // Webhooks
  'lost message': 'lost',
  'message out of order': 'wrong',
  'wrong message': 'wrong',
  'erased and told': 'wrong',
  'erased and kept': 'wrong',
  'disabled webhook': 'wrong',
  'never caught up': 'lost',
  // Alerts
  'lost alert': 'lost',
  'doubled alert': 'doubled',
  'wrong alert': 'wrong',
  // Files and evidence
  administrator: 'wrong',
  'lost row': 'lost',
  'doubled row': 'doubled',
  evidence: 'wrong',
  // Identity providers
  provider: 'wrong',
  'lost user': 'lost',
  'doubled user': 'doubled',
  // While the fault lasts, and after it
  'slow recovery': 'wrong',
  probe: 'wrong',
  fault: 'wrong',
  'hurt others': 'wrong',
  memory: 'wrong',
  'open connection': 'wrong',
  // The run itself
  'no run': 'wrong',
} as const

export type FindingKind = keyof typeof MEANINGS

export interface Finding {
  kind: FindingKind
  text: string
}

/** What a finding means to a client. */
export function meaningOf({ kind }: Finding): 'lost' | 'doubled' | 'wrong' {
  return MEANINGS[kind]
}

/** Findings of one kind. */
export function findings(kind: FindingKind, texts: string[]): Finding[] {
  return texts.map((text) => ({ kind, text }))
}

const SHOWN_OF_A_KIND = 3

/** The first few findings of each kind, so that many of one kind hide no other. */
export function firstOfEach(found: Finding[]): Finding[] {
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((alike) => {
    const left = alike.length - SHOWN_OF_A_KIND
    const more = left > 0 ? ` (and ${left} more of this kind)` : ''
    return alike
      .slice(0, SHOWN_OF_A_KIND)
      .map(({ kind, text }, at) => ({ kind, text: at === SHOWN_OF_A_KIND - 1 ? text + more : text }))
  })
}
