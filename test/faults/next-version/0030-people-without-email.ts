export { up } from '../../../migrations/0030-people-without-email.ts'
