/** The ids that the records of a call give to new employees. Each is made when it is first asked for, and then stays. */
export class NewIds {
  readonly #newId: (prefix: 'emp') => string
  readonly #ids = new Map<number, string>()

  constructor(newId: (prefix: 'emp') => string) {
    this.#newId = newId
  }

  /** The id of the new employee of the record at this index. */
  of(index: number): string {
    const id = this.#ids.get(index) ?? this.#newId('emp')
    this.#ids.set(index, id)
    return id
  }
}
