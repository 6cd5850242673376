import ts from '@typescript/typescript6'

/** A member of a row type: what its values are, and whether they may be null. */
export interface Member {
  kind: string
  isNullable: boolean
}

/** The members of row types, by table and name. */
export type RowTypes = Record<string, Record<string, Member>>

/** Parses these files and all that they import, which takes a second. */
export function parseSource(files: string[]): ts.Program {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: unknown }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
  return ts.createProgram(files, { ...options, types: ['node'] })
}

/** Reads a type whose members are the tables of a schema, as `LedgerTables`, from the source that declares it. */
export function readRowTypes(program: ts.Program, file: string, typeName: string): RowTypes {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const declared = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
  const tables = checker.getDeclaredTypeOfSymbol(declared.find(({ name }) => name === typeName)!)
  const membersOf = (type: ts.Type): [string, ts.Type][] =>
    checker.getPropertiesOfType(type).map((symbol) => [symbol.name, checker.getTypeOfSymbol(symbol)])
  const readMember = (type: ts.Type): Member => {
    const parts = type.isUnion() ? type.types : [type]
    const values = parts.filter(({ flags }) => !(flags & ts.TypeFlags.Null))
    const kinds = new Set(values.map((value) => kindOf(checker, value)))
    return { kind: [...kinds].join(' or '), isNullable: values.length < parts.length }
  }
  return Object.fromEntries(
    membersOf(tables).map(([table, row]) => [
      table,
      Object.fromEntries(membersOf(row).map(([name, type]) => [name, readMember(type)])),
    ]),
  )
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.flags & ts.TypeFlags.StringLike) return 'string'
  if (type.flags & ts.TypeFlags.NumberLike) return 'number'
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean'
  if (type.symbol?.name === 'Buffer') return 'Buffer'
  if (checker.isTupleType(type)) return 'object[]'
  if (checker.isArrayType(type)) {
    const element = checker.getTypeArguments(type as ts.TypeReference)[0]!
    const parts = element.isUnion() ? element.types : [element]
    return `${[...new Set(parts.map((part) => kindOf(checker, part)))].join(' or ')}[]`
  }
  return 'object'
}
