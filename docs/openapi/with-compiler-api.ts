import { registerHooks } from 'node:module'

const TYPESCRIPT = '@typescript/typescript6'

/** Imports a generator that needs the compiler API of TypeScript 6, which TypeScript 7 does not have. */
export async function withCompilerApi<Module>(generator: string, load: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const isOurs = specifier === 'typescript' && context.parentURL?.includes(`/node_modules/${generator}/`) === true
      return next(isOurs ? TYPESCRIPT : specifier, context)
    },
  })
  try {
    return await load()
  } finally {
    hooks.deregister()
  }
}
