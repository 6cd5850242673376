export { up } from '../../../migrations/0002-second-release.ts'
