/** The 1 behind the code of Mexico that mobile numbers had until 2019, before ten digits. */
const OLD_MEXICAN = /^\+52[\s.-]*1(?=(?:[\s().-]*\d){10}$)/

/** A phone number as people and programs write it, with + before the code of its country if that was dialed. */
export function cleanPhone(sent: string): string {
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
