import type { Action } from '../../../http/openapi/actions.ts'

/** What can be done with a webhook, besides editing and rotation. */
export const WEBHOOK_ACTIONS = {
  pause: {
    operationId: 'pauseWebhook',
    summary: 'Pause deliveries until the webhook is resumed',
    description: 'Resumed deliveries go on where they stopped, so that no event is skipped.',
    problems: ['webhook_not_found'],
    button: 'Pause',
    question: 'Messages wait until you resume the webhook.',
    done: 'paused',
    notice: 'Webhook paused. Messages wait until you resume it.',
  },
  resume: {
    operationId: 'resumeWebhook',
    summary: 'Resume or replay deliveries',
    description: 'Also works on an enabled webhook, to send messages again.',
    problems: ['webhook_not_found'],
    button: 'Resume',
    done: 'resumed',
    notice: 'Webhook resumed. Messages that waited are being sent.',
  },
} as const satisfies Record<string, Action>
