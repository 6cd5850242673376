import type { ProblemCode, RecordErrorCode } from '#domain/errors'
import type { ProblemText } from './problem-texts.ts'

/** The codes that only records have. The others are problems of a whole call, too, and have their texts there. */
export const RECORD_ERROR_TEXTS: Record<Exclude<RecordErrorCode, ProblemCode>, ProblemText & { title: string }> = {
  required: {
    title: 'A required attribute is missing',
    when:
      'An employee would have no `status`, neither `first_name` nor `last_name`, or none of `email`, `external_id`, ' +
      'and `user_name`.',
    remedy: 'Add one of the attributes that the message names.',
  },
  invalid_type: {
    title: 'A value has the wrong JSON type',
    when: 'A value is, for example, a number where a string is expected, or a record is not an object.',
    remedy: 'Send the type that the message names.',
  },
  invalid_format: {
    title: 'A value has the wrong format',
    when: 'An email address, a phone number, or a date is not written as it must be.',
    remedy:
      'Write phone numbers with `+` and the code of their country, or set the country of the company, and dates as ' +
      '`YYYY-MM-DD`. The message says what is wrong.',
  },
  too_long: {
    title: 'A value is too long',
    when: 'A text has more characters, or an object more members, than the message says.',
    remedy: 'Shorten the value.',
  },
  too_short: {
    title: 'A value is too short',
    when: 'The name of a custom attribute is empty, or consists of white space.',
    remedy: 'Send a name.',
  },
  invalid_value: {
    title: 'A value is not allowed',
    when: 'A value has the right type and format but makes no sense, such as a termination date before the start date.',
    remedy: 'Correct the value as the message says.',
  },
  null_not_allowed: {
    title: 'An attribute cannot be cleared',
    when: 'The status is `null`.',
    remedy: 'Send a value, or leave the attribute out to keep it.',
  },
  unknown_field: {
    title: 'A member is not an attribute',
    when: 'A record has a member that is not an attribute of employees.',
    remedy: 'Check the spelling. Put attributes of your own into `custom_attributes`.',
  },
  read_only_field: {
    title: 'An attribute cannot be set',
    when: 'A record has an `id` that is not that of its employee.',
    remedy: 'Leave the `id` out, or send that of the employee.',
  },
  missing_locator: {
    title: 'The record does not say which employee it is about',
    when: 'A record of a bulk update has no `id`, `external_id`, or `email`.',
    remedy: 'Add one of them.',
  },
  duplicate_in_batch: {
    title: 'Several records of the call collide',
    when: 'Two records of a call are about the same employee, or set the same email address or external ID.',
    remedy: 'Send one record for each employee. All records that collide have this error.',
  },
  manager_not_found: {
    title: 'The manager does not exist',
    when: 'The company has no employee with the id, external ID, or email address that names the manager.',
    remedy: 'Create the manager first or in the same call, or correct the reference.',
  },
  manager_cycle: {
    title: 'Somebody would be their own manager',
    when: 'After the call, the line of managers of an employee would lead back to the employee.',
    remedy: 'Change one of the managers in that line.',
  },
}
