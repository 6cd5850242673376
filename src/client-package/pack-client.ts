import { stripTypeScriptTypes } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { Sources } from './read-sources.ts'

/*
 * Makes the package of the client that fits this version, without a build step: the types are left out of its sources.
 * The declarations are generated (`npm run client`), and packed twice, since TypeScript takes those of an ES
 * module for no CommonJS (TS1479), although Node.js lets CommonJS require it. This module runs alone, as a text
 * that the service holds, so it imports nothing of others.
 */

const CLIENT = 'clients/typescript'
/** It has nothing but types. */
const API_TYPES = `${CLIENT}/api-types.ts`
/** What an import of the package leads to. */
const NAME = 'employee-ledger-client'

/** The package as npm installs it: a compressed archive that is the same, byte for byte, whenever it is made. */
export function packClient(sources: Sources): Buffer {
  const read = (path: string) => Buffer.from(sources.get(path)!).toString()
  const generated = JSON.parse(read(`${CLIENT}/declarations.json`)) as Record<string, string>
  const declarations = [
    ...Object.entries(generated).map(([name, text]) => [`dist/${CLIENT}/${name}`, text]),
    [`dist/${CLIENT}/api-types.d.ts`, read(API_TYPES)],
  ] as [string, string][]
  const files = [
    ['package.json', read(`${CLIENT}/package.json`)],
    ['README.md', read(`${CLIENT}/README.md`)],
    ['LICENSE', read(`${CLIENT}/LICENSE`)],
    ...[...sources.keys()]
      .filter((path) => path.endsWith('.ts') && path !== API_TYPES)
      .map((path) => [`dist/${path.replace(/ts$/, 'js')}`, stripTypeScriptTypes(read(path))]),
    ...declarations,
    ...declarations.map(([path, text]) => [path.replace(/ts$/, 'cts'), text]),
    [`dist/${CLIENT}/${NAME}.cjs`, `module.exports = require('./${NAME}.js')\n`],
  ] as [string, string][]
  const packed = files.map(([path, text]): [string, Buffer] => {
    const extension = path.endsWith('.cts') ? 'cjs' : 'js'
    const content = path.startsWith('dist/') ? text.replaceAll(OWN_IMPORT, `$1$2.${extension}$1`) : text
    return [`package/${path}`, Buffer.from(content)]
  })
  return gzipSync(writeTar(packed))
}

/** The specifier of an import from a file beside. */
const OWN_IMPORT = /(?<=\b(?:from|import)[\s(]*)(['"])(\.{1,2}\/[^'"]+)\.ts\1/g

const BLOCK = 512
/** Where the checksum stands in a header, and what it counts as while it is computed. */
const CHECKSUM = { at: 148, blank: ' '.repeat(8) }

/** Writes files as an archive (POSIX.1-1988 ustar). A path has at most 100 bytes. The archive holds no times and no owners. */
function writeTar(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const entries = files.flatMap(([path, content]) => [
    writeHeader(path, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)])
}

function writeHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError('a path in an archive has at most 100 bytes')
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(path, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(CHECKSUM.blank, CHECKSUM.at)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM.at)
  return header
}
