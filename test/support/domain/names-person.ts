import * as erasure from '../../../src/domain/erasure.ts'
import { doAtOnce, type Pieces } from '../../../src/domain/pieces.ts'

/* Whether something names a person, found out at once instead of in pieces. */

const atOnce =
  <Given extends unknown[]>(search: (...given: Given) => Pieces<boolean>) =>
  (...given: Given): boolean =>
    doAtOnce(search(...given))

export const mentionsPerson = atOnce(erasure.mentionsPerson)
export const textNamesPerson = atOnce(erasure.textNamesPerson)
export const fileNamesPerson = atOnce(erasure.fileNamesPerson)
