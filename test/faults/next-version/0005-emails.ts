export { up } from '../../../migrations/0005-emails.ts'
