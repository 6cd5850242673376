/** The 1 behind the code of Mexico that mobile numbers had until 2019, before ten digits. */
const OLD_MEXICAN = /^\+52[\s.-]*1(?=(?:[\s().-]*\d){10}$)/
/** What was dialed there before the ten digits of a mobile phone: 044, 045, or 1. */
const DIALED_IN_MEXICO = /^(?:04[45][\s.-]*)?(?:1[\s.-]*)?(?=[(\d](?:[\s().-]*\d){9,10}$)/

/**
 * A phone number as people and programs write it, with + before the code of its country if that was dialed. `country` is
 * where local numbers are.
 */
export function cleanPhone(sent: string, country: string | null = null): string {
  const text = unwrapPhone(sent)
  return country === 'MX' ? text.replace(DIALED_IN_MEXICO, '') : text
}

function unwrapPhone(sent: string) {
  return (
    sent
      .normalize('NFKC')
      .replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, '')
      .trim()
      // A URI (RFC 3966), and what most countries dial for +.
      .replace(/^tel:\s*/i, '')
      .replace(/^00(?=[1-9])/, '+')
      .replace(OLD_MEXICAN, '+52')
  )
}
