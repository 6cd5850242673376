export { up } from '../../../migrations/0017-rejected-bodies.ts'
