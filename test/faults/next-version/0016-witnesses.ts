export { up } from '../../../migrations/0016-witnesses.ts'
