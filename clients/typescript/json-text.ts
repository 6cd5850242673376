/** A body that is JSON already. It is sent as it is written: parsing it would round long numbers, for example. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes the body of a call. */
export function serializeBody(body: unknown): string {
  return body instanceof JsonText ? body.text : JSON.stringify(body)
}
