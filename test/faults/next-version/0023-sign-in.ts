export { up } from '../../../migrations/0023-sign-in.ts'
