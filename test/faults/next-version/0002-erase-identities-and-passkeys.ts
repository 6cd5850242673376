export { up } from '../../../migrations/0002-erase-identities-and-passkeys.ts'
