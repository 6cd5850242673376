export { up } from '../../../migrations/0001-first-release.ts'
