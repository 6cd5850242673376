export { up } from '../../../migrations/0014-uploads.ts'
