import { typeidUnboxed } from 'typeid-js'

/** Makes ids: TypeIDs with a UUIDv7, so that later ids sort after earlier ones. */
export const newId = typeidUnboxed
