import fc from 'fast-check'
import t from 'tap'
import { readHex, writeAttribute, writeCustomAttribute } from '../../src/spreadsheets/cells.ts'
import { anyCodePoint } from '../support/domain/arbitraries.ts'
import { inputs } from '../support/quick.ts'

await t.test('a text that a spreadsheet would change has an apostrophe in front', async (t) => {
  const changed = [
    ...['+4915112345678', '00123', '12345678901234567890', '4.9E+12', '1E5', '1,5', '.5', '(5)', '$5', '٣'],
    ...['2026-01-05', '05.01.2026', '1/5', '1-2', '12:30', 'MAR1', 'Sept 2', 'March 2026', 'Dez. 5', 'Jan 5, 2026'],
    ...[
      '=1+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      '＝1+1',
      ' 1',
      'true',
      'FALSE',
      '',
      "'",
      "'x",
      '(empty)',
      '(json) 1',
    ],
  ]
  for (const text of changed) t.equal(writeAttribute(text), `'${text}`)
})

await t.test('any other text is written as it is', async (t) => {
  for (const text of [
    'Ana',
    "O'Hara",
    'ana@example.com',
    'X-1',
    'E1001',
    'emp_01m7wqmfakeh492yss9pa6yb7t',
    ' x',
    'Sales & Co',
    '(empty) room',
  ])
    t.equal(writeAttribute(text), text)
})

await t.test('a number or boolean is written as it is only if a spreadsheet keeps it', async (t) => {
  for (const value of [7, 0, -5, 123456789012345, true, false]) t.equal(writeCustomAttribute(value), String(value))
  for (const value of [1.5, 1e21, 1234567890123456]) t.equal(writeCustomAttribute(value), `(json) ${value}`)
})

await t.test('no value is written like a formula or like another value', async () => {
  const value = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constantFrom('(empty)', '(json) ', '(json) 7', "'", "'7", '7', '-7', 'true', 'null', '{}', '[]'),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(value, value, (one, other) => {
      for (const write of [writeAttribute, writeCustomAttribute]) {
        const cell = write(one)
        const isFormula = /^[=+\-@\t\r＝＋－＠]/.test(cell) && !/^-[1-9][0-9]*$/.test(cell)
        if (isFormula || cell === '') return false
        if ((cell === write(other)) !== (JSON.stringify(one) === JSON.stringify(other))) return false
      }
      return true
    }),
    { numRuns: inputs(500, 5_000) },
  )
})

await t.test('texts of programs for directories are read, and what only looks like one stays', async (t) => {
  t.equal(readHex("X'4dc3bc6c6c6572'"), 'Müller')
  for (const cell of ["X'4d'x", "X'ff'", "X'00'", "X'4'", 'X-ray']) t.equal(readHex(cell), cell)
  t.equal(writeAttribute("X'4d'"), "'X'4d'", 'the log writes it so that it is not read as one')
})
