export { up } from '../../../migrations/0012-logout-tokens.ts'
