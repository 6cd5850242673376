import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js'
import { request } from 'undici'
import { addSum } from '../../../src/ledger/evidence/shared-proof.ts'
import type { Service, TestCompany } from '../service.ts'
import { employee } from '../service.ts'
import { zip } from '../../../src/evidence/zip.ts'

/** An employee who was created, changed, and twice refused, among the calls of others. */
export async function makeHistory(service: Service, firstName: string) {
  const { call } = service
  const person = employee({ external_id: `E-${firstName}`, first_name: firstName, last_name: 'Remarkable' })
  const { body } = await call('POST', '/v1/employees', { body: [person, employee()] })
  const { id, email } = body.employees[0] as { id: string; email: string }
  await call('POST', '/v1/employees', { body: employee() })
  await call('PUT', '/v1/employees', { body: [{ ...person, job_title: 'Engineer' }, employee()] })
  await call('POST', '/v1/employees', { body: employee({ email }) })
  await call('PATCH', `/v1/employees/${id}`, { body: { start_date: '2026-02-30' } })
  await call('POST', '/v1/employees', { body: employee() })
  await service.project()
  return { id, email, logId: body.log_id as string }
}

/** Downloads an evidence file as the company's auditor. */
export async function downloadEvidence(
  service: Service,
  query: string,
  company: TestCompany = service.company,
): Promise<Buffer> {
  const answer = await request(`${service.address}/audit/v1/evidence?${query}`, {
    headers: { authorization: `Bearer ${company.auditor.token}` },
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  if (answer.statusCode !== 200) throw new Error(bytes.toString())
  return bytes
}

/** The files of an archive by name. */
export async function unpack(archive: Uint8Array): Promise<Record<string, string>> {
  const entries = await new ZipReader(new BlobReader(new Blob([archive]))).getEntries()
  const texts = await Promise.all(
    entries.flatMap((entry) =>
      entry.directory
        ? []
        : [entry.getData(new TextWriter(), { useWebWorkers: false }).then((text) => [entry.filename, text] as const)],
    ),
  )
  return Object.fromEntries(texts)
}

/** Writes files into a new folder. */
export function writeFiles(folder: string, files: Record<string, string>): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}

let python: string[] | undefined

/** The command that runs Python: without a network where that can be. */
function findPython(): string[] {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  const isolated = spawnSync('unshare', ['--net', '--map-root-user', 'true']).status === 0
  return [...(isolated ? ['unshare', '--net', '--map-root-user'] : []), stdout.trim()]
}

/** Runs the `verify.py` of an unpacked evidence file, with nothing but Python. */
export function runVerifier(folder: string, args: string[] = []): { status: number | null; told: string } {
  const [program, ...before] = (python ??= findPython())
  const { status, stdout, stderr } = spawnSync(program!, [...before, '-I', 'verify.py', ...args], {
    cwd: folder,
    env: {},
    encoding: 'utf8',
  })
  return { status, told: stdout + stderr }
}

/** What docs/verify_ledger.py says about an evidence file: the kind of verdict, the place of a fault, and the sentence. */
interface EvidenceVerdict {
  kind: 'consistent' | 'invalid' | 'diverged' | 'unverifiable'
  place: string | null
  sentence: string
}

/** Verifies an unpacked evidence file many times, each time with other contents of some files. */
export function verifyVariants(folder: string, variants: readonly Record<string, Uint8Array>[]): EvidenceVerdict[] {
  const tasks = variants.map((changed) => {
    const files = Object.fromEntries(
      Object.entries(changed).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
    )
    return `${JSON.stringify({ folder, files })}\n`
  })
  const { stdout, stderr } = spawnSync('python3', ['test/support/ledger/evidence-verifier.py'], {
    input: tasks.join(''),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const verdicts = stdout.split('\n').slice(0, -1)
  if (verdicts.length !== variants.length) throw new Error(stderr)
  return verdicts.map((line) => {
    const [kind, place, sentence] = JSON.parse(line) as [EvidenceVerdict['kind'], string | null, string]
    return { kind, place, sentence }
  })
}

/** Changes one byte of a file to another one. */
export function changeByte(content: string | Uint8Array, at: number, by = 1): Buffer {
  const bytes = Buffer.from(content as string)
  bytes[at] = (bytes[at]! + by) % 256
  return bytes
}

/** Writes the manifest again, as someone would who knows its form, so that it names other contents of files. */
export function forgeManifest(files: Record<string, string>) {
  const { sum: _, ...manifest } = JSON.parse(files['manifest.json']!) as { sum: string; files: { name: string }[] }
  const listed = manifest.files.map(({ name }) => {
    const content = Buffer.from(files[name]!)
    return { name, bytes: content.length, sha256: hash('sha256', content) }
  })
  return `${addSum(JSON.stringify({ ...manifest, files: listed }, null, 2))}\n`
}

/** Archives files, in the order in which they are given. */
export async function pack(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  async function* entries() {
    for (const [name, content] of Object.entries(files)) yield { name, content: [content] }
  }
  const pieces: Uint8Array[] = []
  for await (const piece of zip(entries())) pieces.push(piece)
  return Buffer.concat(pieces)
}
