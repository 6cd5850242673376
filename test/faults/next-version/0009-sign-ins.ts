export { up } from '../../../migrations/0009-sign-ins.ts'
