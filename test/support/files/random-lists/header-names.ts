/*
 * The names of columns in twenty languages, and people who speak them, from which random staff lists are written. The
 * code under test has lists of its own, half of these languages are not among them, and neither list was made from the
 * other.
 */

export const FIELDS = [
  'id',
  'first',
  'last',
  'full',
  'email',
  'phone',
  'title',
  'department',
  'location',
  'start',
  'end',
  'status',
  'flag',
  'blocked',
  'manager',
  'country',
  'birth',
  'privateEmail',
  'notes',
  'salary',
  'gender',
] as const
export type Field = (typeof FIELDS)[number]

/** A language: the names of columns in the order of `FIELDS`, alternatives between slashes, and what people write. */
export interface Language {
  headers: string
  firsts: string
  lasts: string
  /** Words for people who are there, who are there but absent, and who have left. */
  active: string
  absent: string
  left: string
  yes: string
  no: string
  titles: string
  departments: string
  places: string
  /** ISO 3166-1 alpha-2, and what follows the zero of a mobile number. */
  country: string
  mobile: string
  /** What stands above the rows of people who have left, and before a number below the table. */
  leavers: string
  total: string
}

export const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    headers:
      'Employee ID/Staff no./Payroll number,First name/Given name/Forename,Last name/Surname,Name/Full name/Employee,Work email/E-mail address/Email,Mobile/Work phone/Telephone,Job title/Position/Role,Department/Dept/Function,Location/Office/Site,Start date/Hired on/Date joined,Leaving date/Contract end/Last day worked,Employment status/State/Situation,Active?/Currently employed/Enabled,Blocked/Locked out/Suspended,Manager/Reports to/Line manager,Country/Country of work,Date of birth/Born,Private email/Personal e-mail,Notes/Remarks,Salary/Annual salary,Gender/Sex',
    firsts: 'Ada,Ben,Chloe,Dylan,Erin,Finn,Grace,Harriet,Isaac,Jude,Maya,Noah',
    lasts: 'Ashby,Brook,Carver,Dalton,Eastman,Fielding,Granger,Holloway,Ingram,Jarvis,Kirby,Lowell',
    ...{ active: 'Working,Employed', absent: 'On leave', left: 'Relieved,Quit,Separated' },
    ...{ yes: 'Yes', no: 'No', titles: 'Clerk,Buyer,Planner,Fitter', departments: 'Sales,Stores,Finance' },
    ...{ places: 'Leeds,York,Bath', country: 'GB', mobile: '7700900', leavers: 'Former staff', total: 'Headcount' },
  },
  de: {
    headers:
      'Personalnummer/Pers.-Nr./MA-Nr.,Vorname/Rufname,Nachname/Familienname,Name/Mitarbeiter/Name des Mitarbeiters,E-Mail/E-Mail geschäftlich/Mailadresse,Telefon/Handy dienstlich/Mobilnummer,Stelle/Tätigkeit/Funktion,Abteilung/Kostenstelle Name/Fachbereich,Standort/Arbeitsort/Werk,Eintritt/Eintrittsdatum/Beginn,Austritt/Austrittsdatum/Vertragsende,Status/Beschäftigungsstatus/Zustand,Aktiv/Im Dienst/Beschäftigt,Gesperrt/Konto gesperrt,Vorgesetzter/Führungskraft/Berichtet an,Land/Staat,Geburtsdatum/Geb.-Datum,E-Mail privat/Private Mailadresse,Bemerkung/Notiz,Gehalt/Bruttogehalt,Geschlecht',
    firsts: 'Änne,Bernd,Clara,Dirk,Elke,Florian,Gisela,Holger,Ida,Jörg,Käthe,Lutz',
    lasts: 'Ahrens,Böhm,Claasen,Dörfler,Ebert,Fuchs,Grün,Hübner,Ilsen,Jahn,Köhler,Lübke',
    ...{ active: 'Aktiv,Beschäftigt', absent: 'Elternzeit', left: 'Gekündigt,Ausgeschieden,Abgang' },
    ...{ yes: 'Ja', no: 'Nein', titles: 'Meister,Buchhalterin,Einkäufer', departments: 'Fertigung,Einkauf,Verwaltung' },
    ...{ places: 'Jena,Köln,Kiel', country: 'DE', mobile: '1713920', leavers: 'Ausgeschiedene', total: 'Anzahl' },
  },
  fr: {
    headers:
      'Matricule/N° salarié/Code agent,Prénom/Prénom usuel,Nom/Nom de famille/Nom usuel,Nom et prénom/Salarié/Agent,Courriel/Adresse e-mail/Mél,Téléphone/Portable/Tél. pro,Poste/Fonction/Emploi occupé,Service/Département/Direction,Site/Lieu de travail/Établissement,Date d’entrée/Embauché le/Entrée,Date de sortie/Fin de contrat/Parti le,Statut/Situation/État du dossier,Actif/En poste/Présent,Bloqué/Compte verrouillé,Responsable/N+1/Supérieur,Pays/Pays de travail,Date de naissance/Né(e) le,Courriel personnel/E-mail privé,Commentaire/Observations,Salaire/Salaire brut,Sexe/Civilité',
    firsts: 'Amélie,Bruno,Chloé,Denis,Élodie,Fabrice,Gaëlle,Hugo,Inès,Jérôme,Léa,Noël',
    lasts: 'Aubert,Bœuf,Chevalier,Dubois,Étienne,Faure,Garnier,Hébert,Imbert,Joly,Lefèvre,Noiret',
    ...{ active: 'Présent,En poste', absent: 'Congé parental', left: 'Sorti,Démissionnaire,Licencié' },
    ...{ yes: 'Oui', no: 'Non', titles: 'Menuisier,Comptable,Acheteur', departments: 'Atelier,Comptabilité,Achats' },
    ...{ places: 'Lyon,Lille,Nîmes', country: 'FR', mobile: '639981', leavers: 'Sortis', total: 'Effectif' },
  },
  es: {
    headers:
      'N.º empleado/Legajo/Código trabajador,Nombre/Nombre de pila,Apellidos/Apellido,Nombre completo/Empleado/Trabajadora,Correo/Correo electrónico/Email de empresa,Teléfono/Móvil/Tel. trabajo,Puesto/Cargo/Ocupación,Departamento/Área/Sección,Centro/Sede/Oficina,Fecha de alta/Fecha ingreso/Inicio,Fecha de baja/Fin de contrato/Fecha cese,Estado/Situación/Situación laboral,Activo/En plantilla,Bloqueado/Acceso bloqueado,Responsable/Jefe/Reporta a,País,Fecha de nacimiento/Nacimiento,Correo personal,Observaciones,Salario/Sueldo,Sexo/Género',
    firsts: 'Álvaro,Begoña,Carlos,Dolores,Esteban,Fátima,Gonzalo,Inés,Jesús,Lucía,Martín,Núria',
    lasts: 'Álvarez,Benítez,Castaño,Domínguez,Espinosa,Fernández,Gómez,Ibáñez,Jiménez,López,Muñoz,Núñez',
    ...{ active: 'Alta,Activo', absent: 'Excedencia', left: 'Baja,Cesado,Finiquitado' },
    ...{ yes: 'Sí', no: 'No', titles: 'Administrativo,Técnico,Comprador', departments: 'Ventas,Almacén,Compras' },
    ...{ places: 'Madrid,Cádiz,Gijón', country: 'ES', mobile: '612345', leavers: 'Bajas', total: 'Suma' },
  },
  it: {
    headers:
      'Matricola/Cod. dipendente,Nome,Cognome,Nominativo/Cognome e nome/Dipendente,Email aziendale/Indirizzo email/Posta,Telefono/Cellulare/Tel. ufficio,Mansione/Qualifica/Incarico,Reparto/Ufficio/Area,Sede/Luogo di lavoro/Filiale,Data assunzione/Assunto il,Data cessazione/Fine rapporto/Cessato il,Stato/Situazione,Attivo/In forza,Bloccato/Sospeso,Responsabile/Superiore/Capo,Paese/Nazione,Data di nascita/Nato il,Email personale,Note,Retribuzione/RAL,Sesso',
    firsts: 'Agnese,Bruno,Carla,Davide,Elisa,Fabio,Giulia,Irene,Luca,Marta,Niccolò,Pietro',
    lasts: 'Amato,Bianchi,Conti,Esposito,Ferrari,Greco,Longo,Marini,Neri,Orlandò,Ricci,Serra',
    ...{ active: 'In forza,Assunto', absent: 'Maternità', left: 'Cessato,Dimesso,Licenziato' },
    ...{ yes: 'Sì', no: 'No', titles: 'Impiegato,Magazziniere,Tecnico', departments: 'Acquisti,Magazzino,Vendite' },
    ...{ places: 'Torino,Bari,Forlì', country: 'IT', mobile: '3471234', leavers: 'Cessati', total: 'Totale' },
  },
  pl: {
    headers:
      'Nr ewidencyjny/Numer kadrowy/Nr prac.,Imię,Nazwisko,Imię i nazwisko/Pracownik,E-mail/Poczta służbowa,Telefon/Tel. kom./Nr telefonu,Stanowisko/Funkcja,Dział/Wydział/Komórka,Miejsce pracy/Oddział,Data zatrudnienia/Zatrudniony od,Data zwolnienia/Koniec umowy,Status/Stan,Aktywny/Zatrudniony,Zablokowany,Przełożony/Kierownik,Kraj,Data urodzenia,E-mail prywatny,Uwagi,Wynagrodzenie,Płeć',
    firsts: 'Agata,Błażej,Celina,Damian,Elżbieta,Filip,Grażyna,Józef,Łucja,Michał,Paweł,Róża',
    lasts: 'Adamczyk,Bąk,Cieślak,Dąbek,Gołąb,Jabłoński,Kęska,Łoś,Mróz,Pająk,Sęk,Żak',
    ...{ active: 'Zatrudniony,Czynny', absent: 'Urlop', left: 'Zwolniony,Odszedł,Były' },
    ...{ yes: 'Tak', no: 'Nie', titles: 'Księgowa,Operator,Majster', departments: 'Kadry,Produkcja,Księgowość' },
    ...{ places: 'Łódź,Gdańsk,Poznań', country: 'PL', mobile: '601234', leavers: 'Zwolnieni', total: 'Razem' },
  },
  pt: {
    headers:
      'Matrícula/Nº mecanográfico/Código,Nome próprio/Primeiro nome,Apelido/Sobrenome,Nome completo/Colaborador,E-mail/Correio eletrónico,Telefone/Telemóvel/Celular,Cargo/Função,Departamento/Setor,Local de trabalho/Unidade,Data de admissão/Admitido em,Data de demissão/Desligamento/Saída,Situação/Estado,Ativo,Bloqueado,Gestor/Chefe direto,País,Data de nascimento,E-mail pessoal,Observações,Salário,Sexo',
    firsts: 'Afonso,Beatriz,Caetano,Débora,Estêvão,Flávia,Gonçalo,Inês,João,Lídia,Mário,Rúben',
    lasts: 'Abreu,Brandão,Cardoso,Domingues,Fonseca,Guimarães,Leitão,Magalhães,Neves,Pinhão,Sequeira,Vilaça',
    ...{ active: 'Ativo,Admitido', absent: 'Afastado', left: 'Demitido,Desligado,Rescindido' },
    ...{ yes: 'Sim', no: 'Não', titles: 'Auxiliar,Analista,Motorista', departments: 'Compras,Produção,Vendas' },
    ...{ places: 'Braga,Évora,Lisboa', country: 'PT', mobile: '912345', leavers: 'Demitidos', total: 'Soma' },
  },
  ja: {
    headers:
      '社員番号/職員コード,名/名前(名),姓/名前(姓),氏名/社員氏名,メールアドレス/社内メール,電話番号/携帯番号,役職/職種,部署/所属,勤務地/事業所,入社日/入社年月日,退職日/退社年月日,在籍区分/状態,在職中,利用停止,上長/上司,国/国名,生年月日,個人メール,備考,給与,性別',
    firsts: '葵,健太,恵子,翔,美咲,亮,直子,拓也,由美,陽子,大輔,涼',
    lasts: '青木,石川,上田,遠藤,岡本,川村,木下,小林,佐藤,高橋,中村,林',
    ...{ active: '在籍,在職', absent: '休職', left: '退職,退社,離職' },
    ...{ yes: 'はい', no: 'いいえ', titles: '主任,課長,事務', departments: '営業部,総務部,開発部' },
    ...{ places: '東京,大阪,福岡', country: 'JP', mobile: '9012345', leavers: '退職者', total: '合計' },
  },
  zh: {
    headers:
      '工号/员工编号/人员代码,名/名字,姓/姓氏,姓名/员工姓名,邮箱/电子邮件,手机/联系电话,职位/岗位,部门/所属部门,工作地点/城市,入职日期/入职时间,离职日期/离职时间,状态/人员状态,是否在职,是否停用,上级/直属领导,国家,出生日期,个人邮箱,备注,薪资,性别',
    firsts: '伟,芳,娜,敏,静,强,磊,洋,艳,杰,涛,明',
    lasts: '王,李,张,刘,陈,杨,赵,黄,周,吴,徐,孙',
    ...{ active: '在职,正式', absent: '休假', left: '离职,已离职,辞退' },
    ...{ yes: '是', no: '否', titles: '工程师,会计,主管', departments: '销售部,财务部,研发部' },
    ...{ places: '上海,杭州,北京', country: 'CN', mobile: '1391234', leavers: '离职人员', total: '合计' },
  },
  ru: {
    headers:
      'Табельный номер/Таб. №/Код,Имя,Фамилия,Фамилия Имя/Сотрудник/Работник,Электронная почта/Эл. адрес,Телефон/Моб. телефон,Должность/Профессия,Отдел/Подразделение/Цех,Город/Место работы,Дата приёма/Принят,Дата увольнения/Уволен с,Состояние/Статус,Работает,Заблокирован,Руководитель/Начальник,Страна,Дата рождения,Личная почта,Примечание,Оклад,Пол',
    firsts: 'Анна,Борис,Вера,Глеб,Дарья,Егор,Зоя,Игорь,Ксения,Лев,Мария,Олег',
    lasts: 'Антонов,Белова,Волков,Гусева,Дёмин,Ершова,Жуков,Зайцева,Ильин,Котова,Лебедев,Морозова',
    ...{ active: 'Работает,В штате', absent: 'Отпуск', left: 'Уволен,Уволена,Выбыл' },
    ...{ yes: 'Да', no: 'Нет', titles: 'Слесарь,Бухгалтер,Инженер', departments: 'Склад,Бухгалтерия,Цех 1' },
    ...{ places: 'Тверь,Псков,Омск', country: 'RU', mobile: '9161234', leavers: 'Уволенные', total: 'Итого' },
  },
  tr: {
    headers:
      'Sicil No/Personel No,Ad/Adı,Soyad/Soyadı,Ad Soyad/Personel,E-posta/İş e-postası,Cep/Telefon,Görev/Unvan,Bölüm/Departman,Şube/Çalışma Yeri,İşe Giriş Tarihi/Giriş,Çıkış Tarihi/İşten Ayrılış,Durum/Çalışma Durumu,Aktif mi/Çalışıyor,Engelli hesap/Kilitli,Yönetici/Amir,Ülke,Doğum Tarihi,Kişisel e-posta,Açıklama,Ücret,Cinsiyet',
    firsts: 'Ayşe,Burak,Cem,Deniz,Elif,Fatma,Gökhan,Hülya,İpek,Kemal,Leyla,Murat',
    lasts: 'Acar,Bulut,Çelik,Demir,Erdoğmuş,Güneş,Işık,Kılıç,Öztürk,Şahin,Tekin,Yıldız',
    ...{ active: 'Çalışıyor,Aktif', absent: 'İzinli', left: 'Ayrıldı,İşten çıktı,Emekli' },
    ...{ yes: 'Evet', no: 'Hayır', titles: 'Muhasebeci,Usta,Tekniker', departments: 'Satış,Depo,Üretim' },
    ...{ places: 'Bursa,İzmir,Ankara', country: 'TR', mobile: '5321234', leavers: 'Ayrılanlar', total: 'Toplam' },
  },
  cs: {
    headers:
      'Osobní číslo/Číslo zaměstnance,Jméno/Křestní jméno,Příjmení,Jméno a příjmení/Zaměstnanec,E-mail/Pracovní e-mail,Telefon/Mobil,Pozice/Funkce,Oddělení/Úsek,Pracoviště/Pobočka,Datum nástupu/Nástup,Datum ukončení/Konec poměru,Stav/Stav poměru,Aktivní,Blokován,Nadřízený/Vedoucí,Země/Stát,Datum narození,Soukromý e-mail,Poznámka,Mzda,Pohlaví',
    firsts: 'Alžběta,Bohuš,Dana,Eliška,František,Hana,Jiří,Kateřina,Lukáš,Markéta,Ondřej,Šárka',
    lasts: 'Beneš,Čech,Dvořák,Fiala,Hájek,Jelínek,Král,Malý,Němec,Procházka,Růžička,Šťastný',
    ...{ active: 'Zaměstnán,Trvá', absent: 'Mateřská', left: 'Ukončen,Propuštěn,Odešel' },
    ...{ yes: 'Ano', no: 'Ne', titles: 'Účetní,Mistr,Dělník', departments: 'Sklad,Výroba,Nákup' },
    ...{ places: 'Brno,Plzeň,Zlín', country: 'CZ', mobile: '601234', leavers: 'Bývalí', total: 'Celkem' },
  },
  sv: {
    headers:
      'Anställningsnummer/Anst.nr,Förnamn/Tilltalsnamn,Efternamn,Namn/Medarbetare,E-post/E-postadress arbete,Mobil/Telefon arbete,Befattning/Titel,Avdelning/Enhet,Arbetsplats/Ort,Anställningsdatum/Började,Slutdatum/Avgångsdatum,Anställningsstatus/Läge,Aktiv,Spärrad,Närmaste chef/Chef,Land,Födelsedatum,Privat e-post,Anteckning,Lön,Kön',
    firsts: 'Åsa,Björn,Cecilia,Dag,Elin,Fredrik,Göran,Håkan,Ingrid,Kjell,Lars,Måns',
    lasts: 'Ahlgren,Blom,Cederlund,Dahlström,Ek,Forsberg,Grön,Hägg,Jönsson,Lindqvist,Nyström,Öberg',
    ...{ active: 'Anställd,I tjänst', absent: 'Föräldraledig', left: 'Avslutad,Slutat,Uppsagd' },
    ...{ yes: 'Ja', no: 'Nej', titles: 'Förare,Säljare,Kock', departments: 'Lager,Ekonomi,Inköp' },
    ...{ places: 'Umeå,Lund,Gävle', country: 'SE', mobile: '7017406', leavers: 'Slutat', total: 'Antal' },
  },
  he: {
    headers:
      'מספר עובד,שם פרטי,שם משפחה,שם מלא,דואר אלקטרוני,טלפון נייד/טלפון,תפקיד,מחלקה,סניף/מקום עבודה,תאריך תחילת עבודה,תאריך סיום,סטטוס/מצב,פעיל,חסום,מנהל ישיר/מנהל,מדינה,תאריך לידה,דואל פרטי,הערות,שכר,מין',
    firsts: 'אורי,בתיה,גיל,דנה,הילה,זיו,חן,טל,יעל,ליאור,מיכל,נועם',
    lasts: 'אלון,ברק,גולן,דורון,הראל,זוהר,חיון,כהן,לוי,מזרחי,פרץ,שגב',
    ...{ active: 'מועסק,עובד', absent: 'חופשה', left: 'עזב,פוטר,סיים' },
    ...{ yes: 'כן', no: 'לא', titles: 'מהנדס,חשב,נהג', departments: 'מכירות,מחסן,כספים' },
    ...{ places: 'חיפה,אילת,לוד', country: 'IL', mobile: '501234', leavers: 'עזבו', total: 'סך הכול' },
  },
  th: {
    headers:
      'รหัสพนักงาน,ชื่อ,นามสกุล,ชื่อ-นามสกุล,อีเมล,โทรศัพท์/มือถือ,ตำแหน่ง,แผนก,สถานที่ทำงาน,วันที่เริ่มงาน,วันที่ลาออก,สถานะ,ยังทำงานอยู่,ถูกระงับ,หัวหน้างาน,ประเทศ,วันเกิด,อีเมลส่วนตัว,หมายเหตุ,เงินเดือน,เพศ',
    firsts: 'กานต์,ขวัญ,จันทร์,ชัย,ดวงใจ,ธนา,นิดา,ปิติ,พิมพ์,มาลี,วิชัย,สมชาย',
    lasts: 'แก้วใส,คงดี,จันทรา,ใจงาม,ทองคำ,บุญมี,พันธุ์ดี,มั่นคง,รุ่งเรือง,วงศ์ไทย,ศรีสุข,อินทร์',
    ...{ active: 'ทำงาน,ปกติ', absent: 'ลาพัก', left: 'ลาออก,พ้นสภาพ,เลิกจ้าง' },
    ...{ yes: 'ใช่', no: 'ไม่', titles: 'ช่าง,บัญชี,พนักงานขาย', departments: 'ฝ่ายขาย,คลังสินค้า,ผลิต' },
    ...{ places: 'ตรัง,ลำปาง,ระยอง', country: 'TH', mobile: '812345', leavers: 'ผู้ลาออก', total: 'รวม' },
  },
  ko: {
    headers:
      '사번/직원번호,이름,성,성명/직원명,이메일,휴대폰/전화번호,직책/직무,부서/소속,근무지,입사일,퇴사일,재직상태/상태,재직여부,사용중지,상사/관리자,국가,생년월일,개인 이메일,비고,급여,성별',
    firsts: '민준,서연,지훈,하은,도윤,수아,예준,지우,현우,유진,건우,채원',
    lasts: '김,이,박,최,정,강,조,윤,장,임,한,오',
    ...{ active: '재직,근무중', absent: '휴직', left: '퇴직,퇴사,해고' },
    ...{ yes: '예', no: '아니오', titles: '사원,대리,과장', departments: '영업팀,총무팀,개발팀' },
    ...{ places: '서울,부산,대구', country: 'KR', mobile: '1012345', leavers: '퇴직자', total: '합계' },
  },
  vi: {
    headers:
      'Mã nhân viên/Mã NV,Tên,Họ/Họ và đệm,Họ và tên,Email/Thư điện tử,Điện thoại/Di động,Chức vụ/Chức danh,Phòng ban/Bộ phận,Nơi làm việc/Chi nhánh,Ngày vào làm,Ngày nghỉ việc,Trạng thái/Tình trạng,Đang làm việc,Bị khóa,Quản lý/Người quản lý,Quốc gia,Ngày sinh,Email cá nhân,Ghi chú,Lương,Giới tính',
    firsts: 'An,Bình,Châu,Dũng,Giang,Hạnh,Khoa,Lan,Minh,Nga,Phúc,Quân',
    lasts: 'Bùi,Cao,Đặng,Đỗ,Hoàng,Lê,Lý,Ngô,Nguyễn,Phạm,Trần,Vũ',
    ...{ active: 'Đang làm,Chính thức', absent: 'Nghỉ phép', left: 'Đã nghỉ,Thôi việc,Nghỉ việc' },
    ...{ yes: 'Có', no: 'Không', titles: 'Kế toán,Lái xe,Thợ máy', departments: 'Kinh doanh,Kho,Sản xuất' },
    ...{ places: 'Huế,Hà Nội,Vinh', country: 'VN', mobile: '9012345', leavers: 'Đã nghỉ việc', total: 'Tổng cộng' },
  },
  hu: {
    headers:
      'Törzsszám/Dolgozói kód,Keresztnév/Utónév,Vezetéknév,Név/Dolgozó neve,E-mail cím/Céges e-mail,Telefon/Mobilszám,Munkakör/Beosztás,Osztály/Részleg,Telephely/Munkahely,Belépés dátuma/Felvétel,Kilépés dátuma/Jogviszony vége,Állapot/Jogviszony,Aktív/Dolgozik,Letiltva,Felettes/Vezető,Ország,Születési dátum,Magán e-mail,Megjegyzés,Bér,Nem',
    firsts: 'Ádám,Boglárka,Csaba,Dóra,Eszter,Ferenc,Gábor,Ildikó,János,Katalin,László,Márta',
    lasts: 'Bíró,Csonka,Deák,Erdős,Fekete,Gál,Horváth,Juhász,Kiss,Molnár,Szűcs,Tóth',
    ...{ active: 'Dolgozó,Állományban', absent: 'Szabadság', left: 'Kilépett,Felmondott,Megszűnt' },
    ...{ yes: 'Igen', no: 'Nem', titles: 'Könyvelő,Lakatos,Raktáros', departments: 'Raktár,Pénzügy,Termelés' },
    ...{ places: 'Pécs,Győr,Eger', country: 'HU', mobile: '301234', leavers: 'Kilépettek', total: 'Összesen' },
  },
  fi: {
    headers:
      'Henkilönumero/Työntekijänro,Etunimi,Sukunimi,Nimi/Työntekijä,Sähköposti/Työsähköposti,Puhelin/Matkapuhelin,Tehtävä/Nimike,Osasto/Yksikkö,Toimipiste/Työpaikka,Alkamispäivä/Tullut taloon,Päättymispäivä/Lähtöpäivä,Tila/Työsuhteen tila,Aktiivinen,Lukittu,Esimies/Lähiesimies,Maa,Syntymäaika,Yksityinen sähköposti,Huomautus,Palkka,Sukupuoli',
    firsts: 'Aino,Eero,Helmi,Ilmari,Jussi,Kaisa,Lauri,Minna,Onni,Päivi,Säde,Väinö',
    lasts: 'Aalto,Hämäläinen,Jokela,Kärki,Laine,Mäkelä,Niemi,Ojala,Peltola,Räsänen,Salo,Virtanen',
    ...{ active: 'Töissä,Voimassa', absent: 'Virkavapaa', left: 'Lähtenyt,Päättynyt,Irtisanottu' },
    ...{ yes: 'Kyllä', no: 'Ei', titles: 'Myyjä,Asentaja,Kokki', departments: 'Varasto,Myynti,Talous' },
    ...{ places: 'Oulu,Turku,Jyväskylä', country: 'FI', mobile: '401234', leavers: 'Lähteneet', total: 'Yhteensä' },
  },
  el: {
    headers:
      'Κωδικός υπαλλήλου,Όνομα,Επώνυμο,Ονοματεπώνυμο,Ηλεκτρονική διεύθυνση,Τηλέφωνο/Κινητό,Θέση/Ειδικότητα,Τμήμα,Τόπος εργασίας/Κατάστημα,Ημερομηνία πρόσληψης,Ημερομηνία αποχώρησης,Κατάσταση,Ενεργός,Κλειδωμένος,Προϊστάμενος,Χώρα,Ημερομηνία γέννησης,Προσωπικό email,Σχόλια,Μισθός,Φύλο',
    firsts: 'Άννα,Βασίλης,Γιώργος,Δήμητρα,Ελένη,Ζωή,Ηλίας,Κώστας,Λίνα,Μάριος,Νίκη,Πέτρος',
    lasts: 'Αλεξίου,Βλάχος,Γεωργίου,Δήμου,Ζαφείρης,Ιωάννου,Κατσαρός,Λάμπρου,Μανώλης,Νικολάου,Πάππας,Ρήγας',
    ...{ active: 'Εργάζεται,Ενεργός', absent: 'Άδεια', left: 'Αποχώρησε,Απολύθηκε,Παραίτηση' },
    ...{ yes: 'Ναι', no: 'Όχι', titles: 'Λογιστής,Οδηγός,Τεχνίτης', departments: 'Αποθήκη,Πωλήσεις,Παραγωγή' },
    ...{ places: 'Χανιά,Πάτρα,Βόλος', country: 'GR', mobile: '6912345', leavers: 'Αποχωρήσαντες', total: 'Σύνολο' },
  },
}

/** Names as programmers abbreviate them, in the order of `FIELDS`. */
export const TECHNICAL =
  'emp_no/PERNR/empCode,fname/vorn/GIVENNM,lname/nachn/SURNM,ENAME/dispName/FULLNM,smtp/mailAddr/E_MAIL,telnr/phoneNo/MOB,posn/jobTxt/PLANS_TXT,orgTxt/deptNm/ORGEH,siteNm/werks/LOC_TXT,begda/hireDt/STARTDT,endda/termDt/ENDDT,statTxt/empStat/STAT2,isActv/actvFlg,isLocked/lockFlg,mgrNo/supvRef/BOSS,ctry/LAND1,dob/gbdat,privMail,rmk,slry,gesch'
