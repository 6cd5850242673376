import type { FastifyInstance } from 'fastify'
import { reportUser } from '../../../personal-data/report-user.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { sendReportFile } from '../parts/report-download.ts'
import { getActing } from '../parts/viewer.ts'
import { readUserId, type UserRoute } from './user-page.ts'

const { path: PATH } = NAVIGATION.users

/** `/settings/users/{id}/personal-data`: a report of what is held about a user. */
export function addUserReport(app: FastifyInstance, services: PageServices): void {
  app.post<UserRoute>(`${PATH}/:id/personal-data`, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const report = await reportUser(services.company, getActing(request), readUserId(request.params))
    return sendReportFile(services, request, reply, report)
  })
}
