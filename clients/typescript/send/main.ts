#!/usr/bin/env node
import { createEmployeeClient } from '../employee-client.ts'
import { EmployeeLedgerError } from '../errors.ts'
import { readName } from '../../../src/spreadsheets/cells.ts'
import { needsPerson } from '../../../src/spreadsheets/mapping/mapping.ts'
import { isSecretHeader } from '../../../src/spreadsheets/words/recognize-header.ts'
import { type MarkUnknown, markUnknown } from './absent-managers.ts'
import { describeAnswers } from './answers.ts'
import { compareWithStored } from './compare-with-stored.ts'
import { listAdded, listProposed, writeMappingFile } from './choose-mapping.ts'
import { readNamed } from './deactivate-missing.ts'
import { CommandError, usageError } from './exit-codes.ts'
import { FileQuestion } from '../../../src/spreadsheets/formats/file-question.ts'
import { describeFaults, describeLeftOut, describeQuestion, explainFailure } from './explain-failure.ts'
import { type OpenedFile, openFile } from './open-file.ts'
import { type SendArguments, readArguments } from './read-arguments.ts'
import { previewFile, sendFile } from './send-file.ts'

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

// Nobody may read what the command writes, and a disk may be full: the exit code still says what became of the file.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

const stopping = new AbortController()
/** What shells use for the signal that ends the run. */
let signalCode = 0
for (const [name, number] of Object.entries(SIGNAL_NUMBERS))
  process.once(name, () => {
    signalCode = 128 + number
    stopping.abort()
  })

async function send(args: SendArguments): Promise<void> {
  const { path, url: baseUrl, apiId, apiKey, choices, answers, savedMapPath } = args
  const client = createClient({ baseUrl, apiId, apiKey })
  const mark: MarkUnknown = (plan, mapping) => markUnknown(client, plan, mapping, stopping.signal)
  const file = await openFile(path, choices, answers, mark, stopping.signal)
  try {
    for (const note of describeLeftOut(path, file.table)) process.stderr.write(`${note}\n`)
    if (savedMapPath !== null) return saveMap(file, args, savedMapPath)
    const open = file.mapping ? describeAnswers(file.mapping) : []
    const asked = open.length === 0 ? [] : [`${path}: answer in a mapping (--save-map, --map), or with:`, ...open]
    if (file.faults.length > 0)
      throw new CommandError('refused', [describeFaults(path, file.faults), ...asked].join('\n'))
    if (file.mapping && needsPerson(file.mapping)) {
      const why = file.mapping.needs_review ? 'has dates in a different order from before' : 'leaves open who has left'
      throw new CommandError('refused', [`${path} ${why}, whatever else is left out`, ...asked].join('\n'))
    }
    const { unreadable } = file
    if (unreadable.count > 0 && (args.allOrNone || file.count === 0))
      throw new CommandError('refused', describeFaults(path, unreadable.faults))
    refuseColumns(path, file, args)
    await compareWithStored(client, file, args, stopping.signal)
    if (args.atMost !== null) await readNamed(path, file, stopping.signal)
    if (unreadable.count > 0) process.stderr.write(`${describeFaults(path, unreadable.faults)}\n`)
    if (file.notes.length > 0) process.stderr.write(`${describeFaults(path, file.notes)}\n`)
    const output = { result: (line: string) => process.stdout.write(`${line}\n`), stream: process.stderr }
    await (args.isDryRun ? previewFile : sendFile)(client, file, args, output, stopping.signal)
  } finally {
    await file.close()
  }
}

function createClient(settings: Parameters<typeof createEmployeeClient>[0]) {
  try {
    return createEmployeeClient(settings)
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

function saveMap({ mapping, faults }: OpenedFile, { path }: SendArguments, savedMapPath: string): void {
  if (!mapping) throw new CommandError('refused', describeFaults(path, faults) || `${path} has no columns`)
  writeMappingFile(savedMapPath, mapping)
  const open = describeAnswers(mapping)
  const left = open.length === 0 ? 'nothing in it is open' : `${open.length} choices in it are open, and null`
  process.stdout.write(`${path}: what its columns mean is in ${savedMapPath}; ${left}; nothing was sent\n`)
  for (const option of open) process.stdout.write(`${option}\n`)
}

/**
 * Each column that becomes nothing must have a use, unless there is a mapping; and each use a column. What is only
 * proposed must have been seen by somebody before it is applied: every night's file might be read differently.
 */
function refuseColumns(
  path: string,
  { unused, mapping: found }: OpenedFile,
  { choices, isDryRun }: SendArguments,
): void {
  const { uses, mapping, answers } = choices
  const isUsed = (name: string) => uses.has(name) || answers.some(({ column }) => column === name)
  const left = mapping ? [] : unused.filter((name) => !isUsed(name) && !isSecretHeader(name))
  if (left.length > 0)
    throw new CommandError(
      'refused',
      `${path}: ${left.length === 1 ? 'this column is not an attribute' : 'these columns are not attributes'}: ` +
        `${left.join(', ')}. Name each in --custom or in --ignore, or give a mapping with --map`,
    )
  const proposed = found && !isDryRun ? listProposed(found, choices) : []
  if (proposed.length > 0)
    throw new CommandError(
      'refused',
      `${path}: nobody has confirmed the proposed meaning of these columns: ` +
        `${proposed.map(({ header, to }) => `${readName(header)} (${to})`).join(', ')}. ` +
        'Write the proposal to a file with --save-map, review it, and send with --map',
    )
  const added = found ? listAdded(found, choices) : []
  if (added.length > 0)
    process.stderr.write(`${path}: not used, because the mapping does not name it: ${added.join(', ')}\n`)
  const names = new Set(found?.columns.map(({ header }) => readName(header)))
  const missing = [...uses.keys(), ...answers.flatMap(({ column }) => column ?? [])].filter((name) => !names.has(name))
  if (missing.length > 0) throw usageError(`${path} has no column named ${missing.join(', ')} that is not an attribute`)
}

try {
  const args = readArguments(process.argv.slice(2), process.env)
  if (typeof args === 'string') process.stdout.write(args)
  else
    await send(args).catch((error: unknown) => {
      if (error instanceof FileQuestion) throw new CommandError('refused', describeQuestion(args.path, error))
      throw error instanceof EmployeeLedgerError ? explainFailure(error, args.path, 'Nothing was sent.') : error
    })
} catch (error) {
  if (stopping.signal.aborted) {
    process.stderr.write('interrupted: run the same command again to continue; nothing is applied twice\n')
    process.exitCode = signalCode
  } else if (error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = error.exitCode
  } else {
    process.stderr.write(`employee-ledger-client: ${String(error)}\n`)
    process.exitCode = 1
  }
}
